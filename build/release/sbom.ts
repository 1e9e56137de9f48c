// The software bill of materials in the format CycloneDX 1.6: the packages that the bundler put into dist/, and Node.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BundledPackage } from '../licenses.ts'
import type { Details } from './details.ts'

/** Entries of process.versions that are no software. */
const notSoftware = new Set(['node', 'modules', 'napi', 'unicode', 'cldr', 'tz'])

const toPurl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The checksum of the package in the registry, from package-lock.json. */
const readHashes = (names: readonly string[]): Map<string, { alg: string; content: string }[]> => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const hashesOf = (name: string) => {
    const integrity: string = packages[`node_modules/${name}`]?.integrity ?? ''
    if (!integrity.startsWith('sha512-')) throw new Error(`package-lock.json has no checksum of ${name}`)
    const content = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    return [{ alg: 'SHA-512', content }]
  }
  return new Map(names.map((name) => [name, hashesOf(name)]))
}

const describePackages = (packages: readonly BundledPackage[]) => {
  const hashes = readHashes(packages.map(({ name }) => name))
  return packages.map(({ name, version, license }) => ({
    type: 'library',
    'bom-ref': toPurl(name, version),
    name,
    version,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    hashes: hashes.get(name),
    purl: toPurl(name, version),
  }))
}

const describeNode = () => {
  const version = process.versions.node
  const libraries = Object.entries(process.versions).filter(([name]) => !notSoftware.has(name))
  return {
    type: 'platform',
    'bom-ref': `pkg:generic/node@${version}`,
    name: 'node',
    version,
    licenses: [{ license: { id: 'MIT' } }],
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:-:*:*:*`,
    purl: `pkg:generic/node@${version}`,
    components: libraries.sort().map(([name, used = '']) => ({ type: 'library', name, version: used })),
  }
}

/** The same content gets the same serial number. */
const createSerialNumber = (content: unknown): string => {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4]
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const createSbom = (
  { name, version, description, date }: Details,
  packages: readonly BundledPackage[],
  hasNode: boolean,
): string => {
  const own = toPurl(name, version)
  const components = [...describePackages(packages), ...(hasNode ? [describeNode()] : [])]
  const references = new Map(packages.map((each) => [each.name, toPurl(each.name, each.version)]))
  const content = {
    version: 1,
    metadata: {
      timestamp: new Date(date * 1000).toISOString(),
      component: {
        ...{ type: 'application', 'bom-ref': own, name, version, description },
        ...{ licenses: [{ license: { id: 'MIT' } }], purl: own },
      },
    },
    components,
    dependencies: [
      { ref: own, dependsOn: components.map((each) => each['bom-ref']) },
      ...packages.map((each) => ({
        ref: toPurl(each.name, each.version),
        dependsOn: each.dependencies.flatMap((needed) => references.get(needed) ?? []),
      })),
    ],
  }
  const serialNumber = createSerialNumber(content)
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, ...content }, undefined, 2)}\n`
}
