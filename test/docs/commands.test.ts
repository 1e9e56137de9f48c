// docs/commands.md is generated: `npx vitest run test/docs/commands.test.ts -u` writes it again.
import path from 'node:path'
import { expect, test } from 'vitest'
import { renderCommandsPage } from './commands-page.ts'

test('docs/commands.md describes every command and flag', async () => {
  const file = path.resolve(import.meta.dirname, '../../docs/commands.md')
  await expect(renderCommandsPage()).toMatchFileSnapshot(file)
})
