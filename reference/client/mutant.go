package client

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A place is the step at which a mutant differs from the healthy client.
type place string

const (
	atRequest     place = "before a request"
	atResponse    place = "after a response"
	atEvent       place = "on an event line"
	atInterface   place = "at the choice of the interface"
	atHandshake   place = "at a handshake of TLS"
	atSignature   place = "at the signatures of a card"
	atCredentials place = "at credentials"
	atRetry       place = "at a retry"
	atTask        place = "while a task is followed"
	atNotice      place = "at a push notification"
)

// mutantTables are all mutants, by the step at which they differ.
var mutantTables = []struct {
	place   place
	mutants []mutant
}{
	{atInterface, cardMutants},
	{atHandshake, secureMutants},
	{atSignature, signatureMutants},
	{atRequest, requestMutants},
	{atRequest, messageMutants},
	{atRequest, variantMutants},
	{atRequest, firstMutants},
	{atRequest, jafMutants},
	{atCredentials, jafCredentialMutants},
	{atResponse, jafResponseMutants},
	{atTask, jafTaskMutants},
	{atRequest, a2xMutants},
	{atEvent, a2xEventMutants},
	{atRequest, directoryMutants},
	{atInterface, directoryChoiceMutants},
	{atResponse, directoryResponseMutants},
	{atRequest, coreMutants},
	{atInterface, coreCardMutants},
	{atResponse, coreResponseMutants},
	{atRequest, restMutants},
	{atRequest, grpcMutants},
	{atCredentials, credentialMutants},
	{atCredentials, firstCredentialMutants},
	{atResponse, responseMutants},
	{atEvent, streamMutants},
	{atResponse, reportMutants},
	{atResponse, grpcErrorMutants},
	{atTask, taskMutants},
	{atNotice, noticeMutants},
	{atNotice, firstNoticeMutants},
	{atNotice, firstWebhookMutants},
	{atRetry, retryMutants},
}

// A mutant is the client with one named defect. One of its functions is set.
type mutant struct {
	name, summary string
	place         place  // that of its table
	dialect       string // "" for every one
	variant       string // in which the defect shows; "" for plain

	request func(*call)   // edits a call before it is sent
	habit   func(*habits) // gives the client a bad habit
}

// listMutants returns all mutants of a dialect, sorted by name.
func listMutants(dialect string) (all []*mutant) {
	d, err := findDialect(dialect)
	if err != nil {
		return nil
	}
	for _, table := range mutantTables {
		for _, m := range table.mutants {
			if (m.dialect == "" || m.dialect == dialect) && d.hasChoice(m.name) && d.hasChoice(cmp.Or(m.variant, defaultVariant)) {
				m.place, m.variant = table.place, cmp.Or(m.variant, defaultVariant)
				all = append(all, &m)
			}
		}
	}
	slices.SortFunc(all, func(a, b *mutant) int { return strings.Compare(a.name, b.name) })
	return all
}

// Mutants returns the faulty clients of a dialect, sorted by name.
func Mutants(dialect string) (all []Info) {
	for _, m := range listMutants(dialect) {
		all = append(all, Info{Name: m.name, Summary: m.summary, Place: string(m.place), Variant: m.variant})
	}
	return all
}

func findMutant(dialect, name string) (*mutant, error) {
	for _, m := range listMutants(dialect) {
		if m.name == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("the client for %s has no mutant %q; choose one of %s", dialect, name, joinNames(Mutants(dialect)))
}
