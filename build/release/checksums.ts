// SHA256SUMS: the checksums of all artifacts, as `sha256sum --check` reads them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const fileName = 'SHA256SUMS'

export const writeChecksums = (folder: string): void => {
  const names = readdirSync(folder).filter((name) => name !== fileName)
  const lines = names.sort().map((name) => {
    const hash = createHash('sha256').update(readFileSync(path.join(folder, name)))
    return `${hash.digest('hex')}  ${name}\n`
  })
  writeFileSync(path.join(folder, fileName), lines.join(''))
}
