// The software bill of materials in the format CycloneDX 1.6: the packages that the bundler put into dist/, and Node.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BundledPackage } from '../licenses.ts'
import type { Details } from './details.ts'

/** Entries of process.versions that are not software. */
const notSoftware = new Set(['node', 'modules', 'napi', 'unicode', 'cldr', 'tz'])

const toPurl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

type Locked = Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>

/** The packages of package-lock.json, by folder. */
const readLocked = (): Locked => JSON.parse(readFileSync('package-lock.json', 'utf8')).packages

/** The checksum of the package in the registry. */
const readHash = (locked: Locked, { name, version, folder }: BundledPackage): string => {
  const { integrity = '', version: expected } = locked[folder] ?? {}
  if (version !== expected)
    throw new Error(`package-lock.json does not contain ${name} ${version} in ${folder}`)
  if (!integrity.startsWith('sha512-')) throw new Error(`package-lock.json contains no checksum of ${folder}`)
  return Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
}

/** As Node finds it: in the nearest node_modules that contains the package. */
const findDependency = (locked: Locked, from: string, name: string): string | undefined => {
  const place = `${from}/node_modules/${name}`.replace(/^\//, '')
  if (locked[place] !== undefined) return place
  if (from === '') return undefined
  return findDependency(locked, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
}

const describePackages = (locked: Locked, packages: readonly BundledPackage[]) =>
  packages.map((each) => ({
    type: 'library',
    'bom-ref': toPurl(each.name, each.version),
    name: each.name,
    version: each.version,
    ...(each.license === undefined ? {} : { licenses: [{ license: { id: each.license } }] }),
    hashes: [{ alg: 'SHA-512', content: readHash(locked, each) }],
    purl: toPurl(each.name, each.version),
  }))

/** The bundled packages that each of them needs. */
const describeDependencies = (locked: Locked, packages: readonly BundledPackage[]) => {
  const references = new Map(packages.map((each) => [each.folder, toPurl(each.name, each.version)]))
  return packages.map(({ name, version, folder, dependencies }) => ({
    ref: toPurl(name, version),
    dependsOn: dependencies.flatMap(
      (needed) => references.get(findDependency(locked, folder, needed) ?? '') ?? [],
    ),
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
  const locked = readLocked()
  const components = [...describePackages(locked, packages), ...(hasNode ? [describeNode()] : [])]
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
      ...describeDependencies(locked, packages),
    ],
  }
  const serialNumber = createSerialNumber(content)
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, ...content }, undefined, 2)}\n`
}
