// Folders on drives of Windows. For npm run test:windows.
import { expect, test } from 'vitest'
import { isOnWindows, orderctl } from '../support/orderctl.ts'

test.runIf(isOnWindows).each(['Q:\\orders', '\\\\server.invalid\\share\\orders'])(
  'the state folder %s, on a drive that does not exist, is refused',
  async (folder) => {
    const words = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
    const { exit, stderr } = await orderctl(words, { env: { ORDERCTL_STATE_DIR: folder } })
    const [first, ...rest] = stderr.split('\n')
    expect({ exit, rest }).toEqual({
      exit: 9,
      rest: ['Set ORDERCTL_STATE_DIR to a folder that you may write to.', ''],
    })
    expect(first).toMatch(/^error: cannot create the folder .*: no such file or directory$/)
    expect(first).toContain(folder)
  },
)
