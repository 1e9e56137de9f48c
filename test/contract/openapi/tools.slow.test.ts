// The OpenAPI documents in third-party tools. Only in a full run, which installs these large packages in npm's cache.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import { isFullRun } from '../../support/cases.ts'
import { openService, startTime } from '../../support/embedded.ts'
import { folder } from '../../support/orderctl.ts'

const server = 'http://127.0.0.1:4010'

/** Runs a command of a package in a folder with both documents. */
const runTool = async (name: string, command: string) => {
  const cwd = folder()
  await using service = await openService()
  const { text } = await service.raw('GET', '/_mock/openapi.json')
  writeFileSync(path.join(cwd, 'control.json'), text)
  writeFileSync(path.join(cwd, 'openapi.json'), JSON.stringify(createOpenApiDocument(startTime, server)))
  writeFileSync(path.join(cwd, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const words = ['exec', '--yes', `--package=${name}`, '--', ...command.split(' ')]
  const { exitCode, all } = await execa('npm', words, { cwd, reject: false, all: true })
  expect(exitCode, all).toBe(0)
  return cwd
}

test.runIf(isFullRun).each([
  ['@redocly/cli@2.77.0', 'redocly lint --extends recommended-strict openapi.json control.json'],
  ['@stoplight/spectral-cli@6.16.3', 'spectral lint --fail-severity hint openapi.json control.json'],
])('%s finds nothing', async (name, command) => {
  await runTool(name, command)
})

test.runIf(isFullRun)('a client of openapi-typescript that misspells a state does not compile', async () => {
  const cwd = await runTool('openapi-typescript@7.13.0', 'openapi-typescript openapi.json -o schema.ts')
  const client = `
    import type { components } from './schema.ts'
    declare const order: components['schemas']['Order']
    export const isDone = order.state === 'successful'
    // @ts-expect-error
    export const isWrong = order.state === 'succesful'
    // @ts-expect-error
    export const line: components['schemas']['ProductLine'] = { sku: 'A', productType: 'fixd', quote: 1, quantity: 1 }
  `
  writeFileSync(path.join(cwd, 'client.ts'), client)
  const words = [
    'tsc',
    '--ignoreConfig',
    '--strict',
    '--noEmit',
    '--allowImportingTsExtensions',
    path.join(cwd, 'client.ts'),
  ]
  const { exitCode, all } = await execa('npx', words, { reject: false, all: true })
  expect(exitCode, all).toBe(0)
})
