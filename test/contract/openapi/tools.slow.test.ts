// The OpenAPI document in third-party linters. Only in a full run, which installs these large packages in npm's cache.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import { isFullRun } from '../../support/cases.ts'
import { folder } from '../../support/orderctl.ts'

test.runIf(isFullRun).each([
  ['@redocly/cli@2.77.0', 'redocly lint --extends recommended-strict openapi.json'],
  ['@stoplight/spectral-cli@6.16.3', 'spectral lint --fail-severity hint openapi.json'],
])('%s finds nothing', async (name, command) => {
  const cwd = folder()
  writeFileSync(path.join(cwd, 'openapi.json'), JSON.stringify(createOpenApiDocument(Date.UTC(2026, 6, 24))))
  writeFileSync(path.join(cwd, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  const words = ['exec', '--yes', `--package=${name}`, '--', ...command.split(' ')]
  const { exitCode, all } = await execa('npm', words, { cwd, reject: false, all: true })
  expect(exitCode, all).toBe(0)
})
