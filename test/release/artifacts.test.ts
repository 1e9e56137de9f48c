// What proves the content of a release: the bill of materials, the checksums, the libraries of the standalone file.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { removeAtomicLibrary } from '../../build/executable/atomic.ts'
import { listNeededLibraries, readElf } from '../../build/executable/elf.ts'
import { writeChecksums } from '../../build/release/checksums.ts'
import { createSbom } from '../../build/release/sbom.ts'
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

  test('has the checksum and the dependencies of each version of a package', () => {
    const { components, dependencies } = JSON.parse(createSbom(details, packages, false))
    const { packages: locked } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
    for (const folder of ['node_modules/strip-ansi', 'node_modules/cli-table3/node_modules/strip-ansi']) {
      const ref = `pkg:npm/strip-ansi@${locked[folder].version}`
      const { hashes } = components.find((each: { purl: string }) => each.purl === ref)
      const base64 = Buffer.from(hashes[0].content, 'hex').toString('base64')
      expect(`sha512-${base64}`).toBe(locked[folder].integrity)
      const nested = folder.replace(/strip-ansi$/, 'ansi-regex')
      const { dependsOn } = dependencies.find((each: { ref: string }) => each.ref === ref)
      expect(dependsOn).toEqual([`pkg:npm/ansi-regex@${locked[nested].version}`])
    }
  })

  test('is not written for a package of another version than that of package-lock.json', () => {
    const other = [{ ...packages[0], version: '0.0.0' }]
    expect(() => createSbom(details, other, false)).toThrow('package-lock.json does not have')
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

describe.skipIf(process.platform !== 'linux' || process.arch !== 'x64')('the executable of Node', () => {
  test('no longer needs libatomic, and allocates functions on several threads', () => {
    const file = path.join(folder(), 'node')
    const bytes = readFileSync(process.execPath)
    expect(listNeededLibraries(readElf(bytes) ?? expect.fail())).toContain('libatomic.so.1')
    expect(removeAtomicLibrary(bytes)).toBe(true)
    expect(listNeededLibraries(readElf(bytes) ?? expect.fail())).not.toContain('libatomic.so.1')
    // A second time, there is nothing to do.
    const once = Buffer.from(bytes)
    expect(removeAtomicLibrary(bytes)).toBe(true)
    expect(bytes.equals(once)).toBe(true)
    writeFileSync(file, bytes, { mode: 0o755 })
    // Each closure of a new function needs an entry of the table in which V8 uses the function of libatomic.
    const work =
      "let made = 0; for (let i = 0; i < 2e4; i++) made += new Function('return () => 1')()(); process.stdout.write(made + ' ')"
    const script = `const { Worker } = require('worker_threads'); for (let i = 0; i < 3; i++) new Worker(${JSON.stringify(work)}, { eval: true })`
    const env = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: path.join(path.dirname(file), 'libraries') }
    expect(execFileSync(file, ['-e', script], { env, encoding: 'utf8' })).toBe('20000 20000 20000 ')
    const [loaded = ''] = globSync('libraries*', { cwd: path.dirname(file) })
    const log = readFileSync(path.join(path.dirname(file), loaded), 'utf8')
    expect(log).toContain('libstdc++.so.6')
    expect(log).not.toContain('libatomic')
  })

  test('stays as it is if it is not as expected', () => {
    const bytes = Buffer.from(readFileSync(process.execPath))
    const at = bytes.indexOf('__atomic_compare_exchange\0')
    bytes.write('__atomic_compare_exchangf', at)
    const before = Buffer.from(bytes)
    expect(removeAtomicLibrary(bytes)).toBe(false)
    expect(bytes.equals(before)).toBe(true)
    expect(removeAtomicLibrary(Buffer.from('#!/bin/sh\n'))).toBe(false)
  })
})
