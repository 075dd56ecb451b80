// Package card judges agents, their cards and the places that serve the cards.
package card

import "github.com/a2a-conform/a2a-conform/suites/judge"

// Checks returns the checks of this area.
func Checks() []judge.Check {
	return []judge.Check{
		judge.Define("agents/listed", "the server lists its agents as JSON", checkAgentListNamesAnAgent),
		judge.Define("agents/documents", "a document is served about each listed agent", checkAgentDocumentsServed),
		judge.Define("agents/own-card", "the card of an agent describes that agent", checkAgentCardsNotSwapped),
		judge.Define("agents/own-info", "the information about an agent names it", checkAgentInfoNamesAgent),
		judge.Define("agents/answer", "each listed agent answers at its own endpoint", checkEachAgentAnswersMessage),
		judge.Define("agents/card-url", "the url of a card takes calls for its agent", checkCardURLAnswers),
		judge.Define("agents/unknown-info", "no information is given about an agent that does not exist", checkUnknownAgentInfoRefused),
		judge.Define("agents/unknown-card", "no card is given of an agent that does not exist", checkNoCardForUnknownAgent),
		judge.Define("agents/unknown-named", "the error about an unknown agent names it", checkErrorNamesUnknownAgent),
		judge.Define("agents/known-listed", "the error about an unknown agent lists the agents there are", checkErrorListsKnownAgents),

		judge.Define("discovery/card-available", "an agent card can be fetched from the configured or the well-known place", checkCardAvailable),
		judge.Define("discovery/card-well-known", "the agent card is found at the well-known place", checkCardWellKnown),
		judge.Define("discovery/card-object", "what is served as the card is a JSON object", checkCardIsJSONObject),
		judge.Define("discovery/card-media-type", "the card is delivered as application/json", checkCardMediaType),
		judge.Define("discovery/secure", "the card is fetched by https", checkCardFetchedOverHTTPS),
		judge.Define("discovery/health", "the health check answers successfully", checkHealthSuccessAndJSON),
		judge.Define("discovery/no-secret-words", "no string of the card looks like a secret", checkCardLacksSecretLikeTexts),
		judge.Define("discovery/no-secrets", "the card holds none of the secrets the suite was configured with", checkCardLacksKnownCredentials),

		// What a card may hold. A card that makes no use of such a permission breaks nothing, and
		// shows nothing either.
		judge.Define("card/repeats", "two entries of a list on the card have the same value at one place, and differ at another", checkUseOfRepeatedEntries),
		judge.Define("card/lists", "the card has a list with entries, whatever they are", checkUseOfFilledList),
		judge.Define("card/extended-differs", "the card for known callers says something else than another one", checkExtendedCardDifferenceUsed),

		judge.Define("interface/preferred", "the preferred transport answers at the card's endpoint", checkPreferredAnswers),
		judge.Define("interface/answers", "each endpoint on the card answers in its transport", checkEndpointsAnswer),
		judge.Define("interface/declared", "a transport that is served is on the card", checkServedRESTDeclared),
		judge.Define("interface/same", "two endpoints show the same of a task", checkSameTask),
		judge.Define("interface/same-error", "two endpoints report a mistake by the same error", checkSameError),

		judge.Define("card/absolute-url", "a member of the card is an absolute URL", checkCardURLAbsolute),
		judge.Define("card/address", "the address on the card is a string of any form; one that no client can call is a finding", checkCardAddressSchemaRules),
		judge.Define("card/unique", "the values at a place of the card differ from each other", checkCardTextsUnique),
		judge.Define("card/scheme-names", "authentication schemes have standard names", checkSecuritySchemeNamesStandard),
		judge.Define("card/skills", "the card of an agent that performed a task lists a skill", checkCardListsSkill),

		judge.Define("card/no-nulls", "no optional member of the card is given as null", checkOptionalMembersNotNull),
		judge.Define("card/schemes-defined", "each scheme that the card demands is defined on it", checkDemandedSchemesDefined),
		judge.Define("card/endpoint-url", "the preferred endpoint is an absolute URL that fits its transport", checkPreferredURLAbsolute),
		judge.Define("card/repeats-endpoint", "the list of interfaces names the preferred endpoint too", checkInterfacesIncludePreferred),

		// These checks look at the places from which a server hands out its card, and at who may read it.
		// Some are freedoms: if a server makes no use of one, it is not applicable, and other
		// requirements judge the rest of the answer.
		judge.Define("discovery/guarded-card", "the card is refused without credentials, and handed out with them", checkCardMayNeedCredential),
		judge.Define("discovery/older-place", "the card is served at an older place, next to today's", checkMayServeOlderPath),
		judge.Define("discovery/open-card", "the card is handed out without credentials", checkCardNeedsNoCredential),
		judge.Define("card/version", "the card names the version of the protocol", checkVersion),
		judge.Define("auth/fits", "a credential that fits a scheme of the card is not refused", checkCardCredentialAccepted),

		judge.Define("part/kind", "a part that names its kind names one of the known ones", checkSentPartKindAllowed),
		judge.Define("part/defined", "a part that names a kind is as the given schema defines that kind", checkPartsMatchOperatorSchema),
		judge.Define("card/distinct-members", "no member of the card stands in it twice", checkCardMemberNamesUnique),

		judge.Define("interface/urls", "the address of each interface on the card is absolute; one without TLS on another machine is a finding at least", checkInterfaceURLsAbsolute),
		judge.Define("interface/spelling", "a transport that has a name of its own bears it letter by letter", checkTransportSpelling),
		judge.Define("interface/own-names", "a transport without a name of its own is named by a URI", checkCustomTransportsAreURIs),
		judge.Define("interface/version", "an interface on the card is of the version that is judged", checkMatchingVersionListed),

		// These checks judge the protected header of a JSON Web Signature (RFC 7515).
		judge.Define("signature/header", "the protected header of a signature is a JSON object in base64url", checkProtectedHeaderIsObject),
		judge.Define("signature/member", "the protected header of a signature has a member, and the right one", checkProtectedHeaderMember),

		// What a card may hold although something else is better.
		judge.Define("card/filled", "the lists at some places of the card are not empty; an empty one is a finding", noteEmptyCardLists),
		judge.Define("card/older-members", "a card without interfaces of an older version has no members of that version; a member of it is a finding", noteMembersOfOlderVersions),
		judge.Define("card/demands", "the card says in the current form which schemes a call needs; an additional older form is a finding", checkSecurityTolerateOlderForm),

		// These checks judge the headers with which a client keeps a card, and requests it again only if
		// it has changed (RFC 9110 and 9111).
		judge.Define("discovery/header", "the card comes with a header of some form", checkCardHeader),
		judge.Define("discovery/date", "a date among the headers of the card is one of HTTP", checkCardDateHeaderValid),
		judge.Define("discovery/tag-kept", "a card that is the same has the same ETag", checkETagKept),
		judge.Define("discovery/varies", "if the card depends on a header of the request, its Vary names that", checkVaryNamesHeader),
		judge.Define("discovery/tag-of-version", "cards that differ by a header of the request have different ETags", checkETagsOfVersions),
		judge.Define("discovery/not-modified", "a client that already has the card is told that it has not changed, and gets it no second time", checkNotModifiedOrResent),

		// These checks verify the signatures of a card (RFC 7515, over the canonical form of RFC 8785).
		judge.Define("signature/verifies", "each signature whose key is known was made over the card in canonical form", checkSignatures),
		judge.Define("signature/without-itself", "no signature was made over a card with a list of signatures", checkSignedPayloadExcludesSignatures),
		judge.Define("signature/keeps-required", "what was signed has all members that a card must have", checkRequiredMembersSigned),
		judge.Define("signature/notices-change", "a signature does not verify for a card that was changed", checkSignatureDetectsChange),
		judge.Define("signature/extended", "the signatures of the card for known callers are over that card", checkExtendedSignatures),

		// The card that only known callers see.
		judge.Define("card/extended", "the card for known callers is whole", checkExtendedCardReturned),
		judge.Define("card/extended-told", "the card for known callers says something at each of the places", checkExtendedCardRequiredTexts),
		judge.Define("card/extended-announced", "a server that gives an extended card says so on its card", checkExtendedAnnounced),
		judge.Define("card/extended-refusal", "a known caller who gets no extended card is told that there is none", checkMissingExtendedCardError),
		judge.Define("card/extended-caching", "no cache is allowed to keep the extended card for everybody", checkExtendedCardSharedCaching),
		judge.Define("card/extended-secrets", "no string of the extended card looks like a secret", noteSecretsInExtendedCard),
	}
}
