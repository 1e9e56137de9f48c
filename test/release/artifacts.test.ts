// What proves the content of a release: the bill of materials, the checksums, the libraries of the standalone file.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { writeChecksums } from '../../build/release/checksums.ts'
import { createSbom } from '../../build/release/sbom.ts'
import { isInstalled } from '../support/installed.ts'
import { folder } from '../support/orderctl.ts'

const details = {
  ...{ name: 'orderctl', version: '0.1.0', description: 'Order cards', target: 'linux-x64' },
  author: { name: 'The orderctl authors' },
  date: 1_790_000_000,
}
const packages = JSON.parse(readFileSync('dist/packages.json', 'utf8'))

/** Validates against the published schema. Formats such as e-mail addresses are not checked. */
const createValidator = () => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const read = (name: string) =>
    JSON.parse(
      readFileSync(
        `node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`,
        'utf8',
      ),
    )
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
  return ajv.compile(read('bom-1.6'))
}

describe('the bill of materials', () => {
  test('is valid CycloneDX 1.6', () => {
    const validate = createValidator()
    for (const hasNode of [false, true]) {
      validate(JSON.parse(createSbom(details, packages, hasNode)))
      expect(validate.errors).toBeNull()
    }
    // The validator finds errors.
    expect(validate(JSON.parse(createSbom(details, [{ ...packages[0], license: 'None' }], false)))).toBe(
      false,
    )
  })

  test('lists the packages of THIRD_PARTY_LICENSES', () => {
    const { components } = JSON.parse(createSbom(details, packages, false))
    const listed = components.map(({ name, version }: typeof details) => `${name} ${version}`)
    const titles = readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8').matchAll(/^={80}\n(\S+ \d\S*)/gm)
    expect(listed.sort()).toEqual([...titles].map(([, title]) => title).sort())
    expect(listed.length).toBeGreaterThan(50)
  })

  test('has the checksum and the dependencies of a package', () => {
    const { components, dependencies } = JSON.parse(createSbom(details, packages, false))
    const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    const { version, integrity } = locked['node_modules/strip-ansi']
    const ref = `pkg:npm/strip-ansi@${version}`
    const { hashes } = components.find((each: { purl: string }) => each.purl === ref)
    const base64 = Buffer.from(hashes[0].content, 'hex').toString('base64')
    expect(`sha512-${base64}`).toBe(integrity)
    const { dependsOn } = dependencies.find((each: { ref: string }) => each.ref === ref)
    expect(dependsOn).toEqual([`pkg:npm/ansi-regex@${locked['node_modules/ansi-regex'].version}`])
  })

  test('is not written for a package of another version than that of package-lock.json', () => {
    const other = [{ ...packages[0], version: '0.0.0' }]
    expect(() => createSbom(details, other, false)).toThrow('package-lock.json does not contain')
  })

  test('of the standalone file has Node and its libraries', () => {
    const { components } = JSON.parse(createSbom(details, packages, true))
    const node = components.find(({ type }: { type: string }) => type === 'platform')
    expect(node).toMatchObject({ name: 'node', version: process.versions.node })
    expect(node.components).toContainEqual({
      ...{ type: 'library', name: 'openssl' },
      version: process.versions.openssl,
    })
  })

  test('is the same each time, with another serial number for other content', () => {
    const made = createSbom(details, packages, false)
    expect(createSbom(details, packages, false)).toBe(made)
    const other = JSON.parse(createSbom({ ...details, version: '0.1.1' }, packages, false))
    expect(other.serialNumber).not.toBe(JSON.parse(made).serialNumber)
  })
})

test('sha256sum checks SHA256SUMS, and notices a changed file', () => {
  const root = folder()
  for (const name of ['b', 'a c']) writeFileSync(path.join(root, name), name)
  writeChecksums(root)
  // Written again, the list does not contain itself.
  writeChecksums(root)
  const check = () =>
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      ...{ cwd: root, encoding: 'utf8' as const },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  expect(check()).toBe('a c: OK\nb: OK\n')
  writeFileSync(path.join(root, 'b'), 'c')
  expect(check).toThrow()
})

test.skipIf(process.platform !== 'linux' || !isInstalled('readelf'))(
  'the Debian package depends on the libraries that Node needs',
  () => {
    const options = ['--wide', '--dynamic', '--version-info', process.execPath]
    const found = execFileSync('readelf', options, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    const all = (pattern: RegExp) => [
      ...new Set(Array.from(found.matchAll(pattern), ([, name = '']) => name)),
    ]
    // libdl, libm and libpthread are parts of libc6.
    expect(all(/\(NEEDED\).*\[(?!ld-)(.+?)\.so/g).sort()).toEqual([
      'libatomic',
      'libc',
      'libdl',
      'libgcc_s',
      'libm',
      'libpthread',
      'libstdc++',
    ])
    const { compare } = new Intl.Collator('en', { numeric: true })
    const newest = (prefix: string) =>
      all(new RegExp(`Name: ${prefix}_([\\d.]+)`, 'g'))
        .sort(compare)
        .at(-1)
    // GCC 5 has the second one.
    expect([newest('GLIBC'), newest('GLIBCXX')]).toEqual(['2.28', '3.4.21'])
  },
)
