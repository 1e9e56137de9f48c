// A self-signed certificate, written out in DER: Node can sign, but it makes no certificates.
import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
const sequence = (...contents: readonly Uint8Array[]): Buffer => der(0x30, ...contents)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
const time = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`))

const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
const yes = der(0x01, Buffer.of(0xff))

type Validity = { readonly from?: Date; readonly to?: Date }

/** For TLS servers under this name; itself an authority, so that it can be trusted. */
export const selfSigned = (name: string, validity: Validity = {}): { key: string; cert: string } => {
  const { from = new Date(Date.now() - 86_400_000), to = new Date(Date.now() + 86_400_000) } = validity
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))))
  const isAuthority = sequence(oid('551d13'), yes, der(0x04, sequence(yes)))
  const names = sequence(oid('551d11'), der(0x04, sequence(der(0x82, Buffer.from(name)))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(isAuthority, names)),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  // No empty line at the end, which a signature of some lengths would give: TLS refuses such a certificate.
  const lines = sequence(body, ecdsaWithSha256, signature)
    .toString('base64')
    .replace(/.{64}(?!$)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}
