// npm run release: writes all artifacts of this version to release/, from dist/ and standalone/orderctl.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { readLicensesOfExecutable } from '../licenses.ts'
import { withManPages } from '../man.ts'
import { writeChecksums } from './checksums.ts'
import { debianArchitectureOf, writeDebianPackage } from './debian.ts'
import { type Details, hasUncommittedChanges, readDetails } from './details.ts'
import { createNpmPackage, nameNpmPackage } from './npm-package.ts'
import { createSbom } from './sbom.ts'
import { gzip } from './tar.ts'

const output = path.resolve('release')

/** Writes a file and reports its size and how long it took. */
const writeArtifact = (name: string, write: (file: string) => void): void => {
  const begin = performance.now()
  const file = path.join(output, name)
  write(file)
  const size = `${(statSync(file).size / 1e6).toFixed(2)} MB`
  console.log(`${name.padEnd(40)} ${size.padStart(10)} ${((performance.now() - begin) / 1000).toFixed(1)} s`)
}

const zstd = (content: Buffer): Buffer =>
  zstdCompressSync(content, {
    params: { [constants.ZSTD_c_compressionLevel]: 15, [constants.ZSTD_c_checksumFlag]: 1 },
  })

const writeStandalone = (name: string, executable: string): void => {
  const content = readFileSync(executable)
  writeArtifact(name, (file) => copyFileSync(executable, file))
  writeArtifact(`${name}.gz`, (file) => writeFileSync(file, gzip(content, 6)))
  writeArtifact(`${name}.zst`, (file) => writeFileSync(file, zstd(content)))
}

const writeAll = (details: Details, folder: string): void => {
  const { name, version, target, date } = details
  const base = `${name}-${version}`
  const executable = 'standalone/orderctl'
  const packages = JSON.parse(readFileSync('dist/packages.json', 'utf8'))
  const licenses = readLicensesOfExecutable()
  const writeText = (file: string, text: string) => writeArtifact(file, (at) => writeFileSync(at, text))
  writeArtifact(nameNpmPackage(details), (file) => writeFileSync(file, createNpmPackage(folder, date)))
  writeText(`${base}.cdx.json`, createSbom(details, packages, false))
  writeStandalone(`${base}-${target}`, executable)
  writeText(`${base}-${target}.cdx.json`, createSbom(details, packages, true))
  writeText('THIRD_PARTY_LICENSES', licenses)
  const architecture = debianArchitectureOf(details)
  if (architecture === undefined) console.error(`warning: no Debian package for ${target}`)
  else
    writeArtifact(`${name}_${version}-1_${architecture}.deb`, (file) =>
      writeDebianPackage(details, { executable, licenses, folder, output: file }),
    )
  writeArtifact('SHA256SUMS', () => writeChecksums(output))
}

const details = readDetails()
if (details.author.email === undefined)
  console.error('warning: package.json contains no author address, so the Debian package has a placeholder')
if (hasUncommittedChanges()) console.error('warning: this release contains changes that are not committed')
rmSync(output, { recursive: true, force: true })
mkdirSync(output)
await withManPages(details, (folder) => writeAll(details, folder))
