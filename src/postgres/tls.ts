// The TLS options of a connection, which mean the same as in libpq.
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import type { Address } from './address.ts'

/** Returns false if the connection is not encrypted. */
export const createTlsOptions = (address: Pick<Address, 'tls'>): ConnectionOptions | false => {
  const { mode, rootCertificate } = address.tls
  if (mode === 'disable') return false
  if (!checksCertificate(address)) return { rejectUnauthorized: false }
  // NODE_TLS_REJECT_UNAUTHORIZED must not turn off the check.
  const trusted = {
    rejectUnauthorized: true,
    ...(rootCertificate === undefined || rootCertificate === 'system'
      ? {}
      : { ca: readCertificate(rootCertificate) }),
  }
  if (mode === 'verify-full') return trusted
  return { ...trusted, checkServerIdentity: () => undefined }
}

/** With a root certificate, libpq treats `require` as `verify-ca`. */
const checksCertificate = ({ tls: { mode, rootCertificate } }: Pick<Address, 'tls'>): boolean =>
  mode !== 'disable' && (mode !== 'require' || rootCertificate !== undefined)

const readCertificate = (file: string): string => {
  let text: string
  try {
    text = readFileSync(file, 'latin1')
  } catch (error) {
    throw new Failure('local-state', `cannot read the root certificate ${file}: ${getErrorReason(error)}`, {
      fix: 'Check sslrootcert in the address of the database, or PGSSLROOTCERT.',
      cause: error,
    })
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new Failure('local-state', `the root certificate ${file} is not a certificate in PEM format`, {
    fix: 'Set sslrootcert, or PGSSLROOTCERT, to the PEM file of the authority that signed the certificate of the server.',
  })
}
