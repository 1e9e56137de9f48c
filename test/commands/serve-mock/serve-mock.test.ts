// A port that is in use, for serve-mock and listen.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inSituation } from '../../support/in-process.ts'
import { folder } from '../../support/orderctl.ts'

test.each([['serve-mock', '--state', 'new.db'], ['listen']])(
  '%s refuses a port that is in use, and creates no file',
  async (name, ...words) => {
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const cwd = folder()
    const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' }
    expect(await inSituation([name, '--port', String(port), ...words], { cwd, env })).toMatchObject({
      ...{ exit: 2, stdout: '' },
      stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl ${name} --port 0\n`,
    })
    expect(existsSync(path.join(cwd, 'new.db'))).toBe(false)
  },
)
