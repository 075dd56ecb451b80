package malformed

import (
	"encoding/json"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/evanphx/json-patch/v5"
)

// Bent is a valid request as a probe has it. The body of one that is raw takes the
// place of what is written.
func Bent(p schema.Probe, valid binding.Request) (binding.Request, error) {
	switch {
	case p.On == schema.OnEnvelope:
		valid.Bend = func(envelope []byte) ([]byte, error) {
			if p.Raw != nil {
				return envelope, nil
			}
			return Patch(envelope, p.Patch)
		}
	case len(p.Patch) > 0:
		err := PatchParams(&valid, p.Patch)
		return valid, err
	}
	return valid, nil
}

// Patch applies a JSON Patch to a request.
func Patch(doc []byte, ops []schema.PatchOp) ([]byte, error) {
	text, err := json.Marshal(ops)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	return patch.Apply(doc)
}

// PatchParams applies a JSON Patch to the parameters of a request.
func PatchParams(r *binding.Request, ops []schema.PatchOp) error {
	params, err := json.Marshal(r.Params)
	if err != nil {
		return err
	}
	if params, err = Patch(params, ops); err != nil {
		return err
	}
	r.Params = json.RawMessage(params)
	return nil
}
