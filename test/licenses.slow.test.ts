// The licenses of the software in orderctl: complete, shipped, and printed by --licenses.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { licenseOfPackage } from '../build/licenses.ts'
import { executable, folder, orderctl } from './support/orderctl.ts'

const shipped = readFileSync('dist/THIRD_PARTY_LICENSES', 'utf8')

/** The folders of the packages in a bundle that is made here, without the plugins of the build. */
const bundledFolders = async (): Promise<string[]> => {
  const bundle = await rolldown({ input: 'src/main.ts', platform: 'node', logLevel: 'silent' })
  const { output } = await bundle.generate()
  await bundle.close()
  const ids = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
  const folders = ids.map((id) => /^[^\0]*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(folders.filter((each) => each !== undefined))]
}

/** The JSON Schema validator of conf, which the plugins of the build leave out. */
const leftOut = ['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse']

test('every bundled package is there with its license', async () => {
  const folders = await bundledFolders()
  expect(folders.length).toBeGreaterThan(30)
  const missing = folders.filter((each) => !shipped.includes(licenseOfPackage(each)))
  expect(missing.map((each) => path.basename(each)).sort()).toEqual(leftOut)
})

test('--licenses prints them', async () => {
  const { exit, stdout, stderr } = await orderctl(['--licenses'])
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout.startsWith(shipped)).toBe(true)
  const isStandalone = executable.length === 1
  expect(stdout.includes('Node.js is licensed for use as follows:')).toBe(isStandalone)
})

test('--licenses ends silently if its reader has gone', async () => {
  const words = [...executable, '--licenses'].map((word) => `'${word}'`).join(' ')
  const first = await new Promise((resolve) => {
    execFile('sh', ['-c', `${words} | head -n 1`], (_, stdout, stderr) => resolve({ stdout, stderr }))
  })
  expect(first).toEqual({ stdout: `${shipped.split('\n')[0]}\n`, stderr: '' })
})

describe('a package without a license file', () => {
  const packageWith = (fields: object): string => {
    const made = path.join(folder(), 'node_modules', 'some')
    mkdirSync(made, { recursive: true })
    const text = JSON.stringify({ name: 'some', version: '1.0.0', ...fields })
    writeFileSync(path.join(made, 'package.json'), text)
    return made
  }

  test.each(['A. Author', { name: 'A. Author' }])('is listed with its author %j', (author) => {
    const heading = `some 1.0.0 (MIT)\n${'='.repeat(80)}\n\nLicense: MIT\nAuthor: A. Author\n`
    expect(licenseOfPackage(packageWith({ license: 'MIT', author }))).toContain(heading)
  })

  test.each([{ license: 'MIT' }, { author: 'A. Author' }])('makes the build fail with %j only', (fields) => {
    expect(() => licenseOfPackage(packageWith(fields))).toThrow('lacks license or author')
  })
})
