// The OpenAPI document in third-party tools: linters, and a generator of clients. Only in a full run, which installs
// these large packages in npm's cache.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import { isFullRun } from '../../support/cases.ts'
import { folder } from '../../support/orderctl.ts'

const served = JSON.stringify(createOpenApiDocument(Date.UTC(2026, 6, 24)))

const saveDocument = (): string => {
  const file = path.join(folder(), 'openapi.json')
  writeFileSync(file, served)
  return file
}

const runPackage = (name: string, command: string, words: readonly string[], cwd: string) =>
  execa('npm', ['exec', '--yes', `--package=${name}`, '--', command, ...words], {
    cwd,
    reject: false,
    all: true,
  })

test.runIf(isFullRun)('Redocly with recommended-strict finds nothing, except a missing license', async () => {
  const lint = async (document: object) => {
    const file = path.join(folder(), 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const words = ['lint', '--extends', 'recommended-strict', file]
    return runPackage('@redocly/cli@2.77.0', 'redocly', words, path.dirname(file))
  }
  const { info, ...rest } = JSON.parse(served)
  const { exitCode, all } = await lint({ info, ...rest })
  expect(exitCode, all).toBe(0)
  const { license: _, ...withoutLicense } = info
  expect(await lint({ info: withoutLicense, ...rest })).toMatchObject({
    exitCode: 1,
    all: expect.stringContaining('info-license'),
  })
})

test.runIf(isFullRun)('Spectral finds nothing', async () => {
  const file = saveDocument()
  writeFileSync(path.join(path.dirname(file), '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const words = ['lint', '--fail-severity', 'hint', file]
  const { exitCode, all } = await runPackage(
    '@stoplight/spectral-cli@6.16.3',
    'spectral',
    words,
    path.dirname(file),
  )
  expect(exitCode, all).toBe(0)
})

describe.runIf(isFullRun)('a client from openapi-typescript', () => {
  const client = `
import type { components, operations } from './schema.ts'

type Create = operations['createOrder']
const order: Create['requestBody']['content']['application/json'] = {
  productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
  wallet: 'USD',
  reference: 'a',
}
type Created = Create['responses'][200]['content']['application/json']
export const describeCreated = ({ data }: Created): string =>
  [data.id, data.invoice.total.toFixed(2), new Date(data.expiresAt).toISOString(), order.wallet].join(' ')

type Order = components['schemas']['Order']
export const listCodes = ({ redeem }: Order): string[] =>
  Object.values(redeem ?? {}).flatMap((each) =>
    'cards' in each ? each.cards.map(({ redeemCardCode }) => redeemCardCode) : each.redeemPin,
  )
export const sumUp = ({ invoice }: Order): number =>
  invoice.records.flatMap(({ items }) => items).reduce((sum, { effect }) => sum + effect.amount, 0)

// @ts-expect-error The field is named uid.
export const readId = (found: Order) => found.id
// @ts-expect-error The field is named total.
export const readTotal = ({ invoice }: Order) => invoice.amount
export const readMessage = (response: Create['responses'][415]['content']['application/json']) => response.message
export const readAllowed = (response: Create['responses'][405]['content']['application/json']) => response.message
`

  const compile = async (types: string) => {
    const cwd = folder()
    writeFileSync(path.join(cwd, 'schema.ts'), types)
    writeFileSync(path.join(cwd, 'client.ts'), client)
    const words = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext']
    const tsc = path.resolve('node_modules/.bin/tsc')
    const { stdout } = await execa(tsc, [...words, '--allowImportingTsExtensions', 'client.ts'], {
      cwd,
      reject: false,
    })
    return stdout
  }

  test('compiles with --strict, and a misspelt field does not', async () => {
    const file = saveDocument()
    const words = ['exec', '--yes', '--package=openapi-typescript@7.13.0', '--package=typescript@5.9.3', '--']
    const { stdout } = await execa('npm', [...words, 'openapi-typescript', file], { cwd: path.dirname(file) })
    expect(await compile(stdout)).toBe('')
  })
})
