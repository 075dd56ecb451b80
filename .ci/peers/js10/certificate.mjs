// Checks the signature of a certificate with the library that Sigstore's own tools use.
import { readFileSync } from 'node:fs'
import { crypto, dsse } from '@sigstore/core'

const [envelopeFile, keyFile] = process.argv.slice(2)
const envelope = JSON.parse(readFileSync(envelopeFile))
const key = crypto.createPublicKey(readFileSync(keyFile, 'utf8'))
const signed = dsse.preAuthEncoding(envelope.payloadType, Buffer.from(envelope.payload, 'base64'))
const digest = key.asymmetricKeyType === 'ec' ? 'sha256' : undefined // Ed25519 has its own
const good = envelope.signatures.some(({ sig }) => crypto.verify(signed, key, Buffer.from(sig, 'base64'), digest))
console.log(good ? 'verified' : 'not verified')
process.exit(good ? 0 : 1)
