// redeem --copy: one value on the clipboard, unseen, and gone after 45 s.
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { realClock, type Situation } from '../../support/in-process.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { byExecutable, openWorld, type World } from '../../support/world.ts'

/** The wait for the clipboard is over at once; what is done meanwhile. */
const patient = (meanwhile: () => unknown = () => {}): NonNullable<Situation['clock']> => ({
  ...realClock,
  sleep: async (ms, signal) => {
    if (ms === 45_000) meanwhile()
    else await realClock.sleep(ms, signal)
  },
})

/** A clipboard with tools, of which some are installed. */
const desk = (...installed: string[]) => {
  const calls: string[] = []
  const held = { text: '' }
  const pipe: NonNullable<Situation['pipe']> = async (command, text) => {
    calls.push(command.join(' '))
    if (!installed.includes(command[0] ?? '')) throw new Error(`spawn ${command[0]} ENOENT`)
    if (text !== undefined) held.text = text
    if (command.includes('--clear')) held.text = ''
    return held.text
  }
  return { calls, held, pipe }
}

const bought = async (...products: string[]) => {
  const shop = await openWorld()
  const order = await shop.ended(...products)
  const value = async (kind: string, at = 0): Promise<string> =>
    (await shop.must('redeem', order, '--only', kind, '--reveal')).trim().split('\n')[at] ?? ''
  const copy = (words: readonly string[], situation: Situation) =>
    shop.atTerminal(['redeem', order, '--copy', ...words], { clock: patient(), ...situation })
  return { ...shop, order, value, copy }
}

const windowsCalls = (root: string): string[] => {
  const folder = `${root}/System32`
  const paste = `${folder}/WindowsPowerShell/v1.0/powershell.exe -NoProfile -Command Get-Clipboard`
  return [`${folder}/clip.exe`, paste, `${folder}/clip.exe`]
}

const linux = { platform: 'linux', terminals: [], env: { DISPLAY: ':0' } } as const
const reveals = async ({ must }: Pick<World, 'must'>): Promise<string[]> =>
  JSON.parse(await must('list', '--reveals', '--json')).map(({ how }: { how: string }) => how)

describe("by the platform's tool", () => {
  const rest = 'orderctl clears it in 45 s, or at once if you press Ctrl-C.\n'

  test.each([
    ['darwin', {}, ['pbcopy', 'pbpaste'], ['pbcopy', 'pbpaste', 'pbcopy']],
    [
      'linux',
      { DISPLAY: ':0' },
      ['xsel'],
      [
        'xclip -selection clipboard',
        'xsel --clipboard --input',
        'xsel --clipboard --output',
        'xsel --clipboard --clear',
      ],
    ],
    [
      'linux',
      { WAYLAND_DISPLAY: 'w' },
      ['wl-copy', 'wl-paste'],
      ['wl-copy', 'wl-paste --no-newline', 'wl-copy --clear'],
    ],
    // By its name alone, Windows would run a file in the working directory.
    ['win32', {}, ['C:/Windows/System32/clip.exe'], windowsCalls('C:/Windows')],
    ['win32', { SystemRoot: 'D:\\Win' }, ['D:\\Win/System32/clip.exe'], windowsCalls('D:\\Win')],
  ])('on %s with %j it is copied, said masked, and cleared', async (platform, env, installed, called) => {
    const { copy, value, ...shop } = await bought('GAME-US:25')
    const { calls, held, pipe } = desk(...installed)
    const seen: string[] = []
    const clock = patient(() => seen.push(held.text))
    const { exit, stdout, stderr } = await copy(['--only', 'code'], {
      platform,
      env,
      terminals: [],
      pipe,
      clock,
    })
    const code = await value('code')
    expect({ exit, stdout, seen, calls }).toEqual({
      exit: 0,
      stdout: '',
      seen: [code],
      calls: called,
    })
    expect(stderr).toBe(
      `Copied with ${path.posix.basename(installed[0] ?? '')}: the code of card 1, GAME-US (••••${code.slice(-4)}). ${rest}The clipboard is cleared.\n`,
    )
    expect(held.text).toBe('')
    expect(await reveals(shop)).toEqual(['reveal', 'copy'])
  })

  test('what has been copied since is left alone', async () => {
    const { copy } = await bought('GAME-US:25')
    const { held, pipe } = desk('xclip')
    const clock = patient(() => {
      held.text = 'mine'
    })
    const { stderr } = await copy(['--only', 'pin'], { ...linux, pipe, clock })
    expect(stderr).toMatch(/The clipboard holds something else now, so orderctl left it alone.\n$/)
    expect(held.text).toBe('mine')
  })

  test('Ctrl-C clears it at once', async () => {
    const { copy } = await bought('GAME-US:25')
    const { held, pipe } = desk('xclip')
    const interrupt = new AbortController()
    const watching = copy(['--only', 'pin'], {
      ...linux,
      pipe,
      clock: realClock,
      interrupted: interrupt.signal,
    })
    while (held.text === '') await delay(10)
    interrupt.abort('SIGINT')
    const { exit, stderr } = await watching
    expect([exit, held.text]).toEqual([0, ''])
    expect(stderr).toMatch(/The clipboard is cleared.\n$/)
  })

  test('that it could not be cleared is said', async () => {
    const { copy } = await bought('GAME-US:25')
    const { held, pipe } = desk('xclip')
    const failing: typeof pipe = async (command, text) => {
      if (held.text !== '' && command[0] === 'xclip') throw new Error('no display')
      return pipe(command, text)
    }
    const { stderr } = await copy(['--only', 'pin'], { ...linux, pipe: failing })
    expect(stderr).toMatch(
      /^warning: the clipboard was not cleared and may still hold the value: no display$/m,
    )
  })

  test('none that takes it, and no terminal: nothing was copied', async () => {
    const { copy, order } = await bought('GAME-US:25')
    expect(await copy(['--only', 'pin'], { ...linux, pipe: desk().pipe })).toMatchObject({
      exit: 74,
      stdout: '',
      stderr:
        'error: nothing was copied, because every clipboard failed\n  xclip: spawn xclip ENOENT\n  xsel: spawn xsel ENOENT\n' +
        `try: orderctl redeem ${order} --reveal\n`,
    })
  })

  test('neither a display nor a terminal: nothing is asked for', async () => {
    const { copy, asked } = await bought('GAME-US:25')
    const before = await asked()
    const { exit, stderr } = await copy(['--only', 'pin'], { platform: 'linux', terminals: [] })
    expect([exit, await asked()]).toEqual([2, before])
    expect(stderr).toMatch(/^error: no clipboard found: /)
  })
})

describe('by the terminal', () => {
  const esc = '\u001b'
  const put = (text: string) => `${esc}]52;c;${Buffer.from(text).toString('base64')}\u0007`

  test.each([
    ['alone', {}, (sequence: string) => sequence],
    [
      'in a tmux that is too old for it,',
      { TMUX: '/tmp/t' },
      (sequence: string) => `${esc}Ptmux;${esc}${sequence}${esc}\\`,
    ],
    [
      'over SSH, whatever display there is',
      { SSH_TTY: '/dev/pts/0', DISPLAY: ':10' },
      (sequence: string) => sequence,
    ],
  ])('%s it is copied and cleared by OSC 52', async (_, env, wrapped) => {
    const { copy, value } = await bought('GAME-US:25')
    const { writes, stderr } = await copy(['--only', 'code'], {
      platform: 'linux',
      env,
      pipe: desk('xclip').pipe,
    })
    expect(writes.stdout).toEqual([wrapped(put(await value('code'))), wrapped(put(' ')) + wrapped(put(''))])
    expect(stderr).toMatch(
      /^Copied with the terminal, if it allows that \(OSC 52\): the code .*\nThe clipboard is cleared.\n$/,
    )
  })

  test('in tmux by a buffer of its own, of which nothing stays', async () => {
    const { copy } = await bought('GAME-US:25')
    const { calls, pipe } = desk('tmux')
    const { stdout, stderr } = await copy(['--only', 'pin'], { platform: 'linux', env: { TMUX: '/t' }, pipe })
    expect([stdout, stderr.startsWith('Copied with tmux: ')]).toEqual(['', true])
    const load = 'tmux load-buffer -w -b orderctl -'
    expect(calls).toEqual([load, load, 'tmux delete-buffer -b orderctl'])
  })

  test('of which stderr alone is left, too', async () => {
    const { copy, value } = await bought('GAME-US:25')
    const { stdout, stderr } = await copy(['--only', 'pin'], { platform: 'linux', terminals: ['stderr'] })
    expect([stdout, stderr.startsWith(put(await value('pin')))]).toEqual(['', true])
  })
})

describe('what is copied is one value', () => {
  test('or what to type for each is said, and nothing is copied', async () => {
    const { copy, order: _, ...shop } = await bought('GAME-US:25', 'RIDE-JP:1000')
    const { held, pipe } = desk('xclip')
    expect(await copy(['--only', 'code'], { ...linux, pipe, terminals: ['stdout'] })).toMatchObject({
      exit: 2,
      stdout: '',
      stderr:
        'error: --copy needs one value, but 2 match\n  GAME-US: --only code --card 1\n  RIDE-JP: --only code --card 2\n' +
        'Narrow it with --sku, --only or --card.\n',
    })
    expect([held.text, await reveals(shop)]).toEqual(['', []])
  })

  test.each([
    [['--card', '2', '--only', 'code'], 'code', 1],
    [['--sku', 'RIDE-JP', '--only', 'serial'], 'serial', 1],
  ])('%j is', async (words, kind, at) => {
    const { copy, value } = await bought('GAME-US:25', 'RIDE-JP:1000')
    const { held, pipe } = desk('xclip')
    const copied: string[] = []
    const clock = patient(() => copied.push(held.text))
    expect((await copy(words, { ...linux, pipe, clock })).exit).toBe(0)
    expect(copied).toEqual([await value(kind, at)])
  })

  test('on a terminal, the value is chosen from a list in which all are hidden', async () => {
    const { copy, value } = await bought('GAME-US:25', 'RIDE-JP:1000')
    const codes = [await value('code', 0), await value('code', 1)]
    const { held, pipe } = desk('xclip')
    const copied: string[] = []
    const clock = patient(() => copied.push(held.text))
    const terminals = ['stdin', 'stdout', 'stderr'] as const
    const ran = await copy([], { ...linux, terminals, pipe, clock, answers: ['card 2, code'] })
    expect(ran).toMatchObject({ exit: 0, stdout: '', questions: ['Value to copy'] })
    expect(copied).toEqual([codes[1]])
    expect(ran.stderr).toMatch(/^Copied with xclip: the code of card 2, RIDE-JP \(••••/)
    const left = await copy([], { ...linux, terminals, pipe, answers: [undefined] })
    expect(left).toMatchObject({ exit: 130, stderr: 'Cancelled; nothing was copied\n' })
    const refused = await copy(['--no-input'], { ...linux, terminals, pipe })
    expect(refused).toMatchObject({ exit: 2, questions: [] })
    expect(refused.stderr).toMatch(/^error: --copy needs one value, but 7 match\n/)
  })

  test.runIf(noTerminal() === undefined).each([60, 80, 120])('the list at %i columns', async (width) => {
    const shop = await openWorld(byExecutable)
    const order = await shop.ended('GAME-US:25x2')
    const code = (await shop.must('redeem', order, '--only', 'code', '--reveal')).split('\n')[1] ?? ''
    for (const colour of [{ NO_COLOR: '1' }, {}] as Record<string, string>[]) {
      const env = { ...shop.environment, HOME: shop.home, COLUMNS: String(width), ...colour }
      const terminal = onTerminal(['redeem', order, '--copy', '--only', 'code'], env)
      await terminal.shows('card 2, code')
      terminal.press('\u0003')
      expect(await terminal.ended).toBe(130)
      expect(terminal.text()).toContain('card 1, code  GAME-US  ••••')
      expect(terminal.text()).not.toContain(code)
    }
  })

  test('so is a link that all cards share', async () => {
    const { copy } = await bought('GAME-BR:50x2')
    const { stderr, exit } = await copy(['--only', 'link'], { ...linux, pipe: desk('xclip').pipe })
    expect(exit).toBe(0)
    expect(stderr).toMatch(/the link of card 1, GAME-BR \(redeem\.example\/…\)/)
  })
})

test.runIf(process.platform === 'linux')(
  'the executable gives a tool the value on its standard input alone',
  async () => {
    const shop = await openWorld(byExecutable)
    const order = await shop.ended('GAME-US:25')
    const pin = (await shop.must('redeem', order, '--only', 'pin', '--reveal')).trim()
    const tools = path.join(shop.home, 'tools')
    mkdirSync(tools)
    const [held, called] = [path.join(shop.home, 'held'), path.join(shop.home, 'called')]
    const tool = path.join(tools, 'xclip')
    writeFileSync(
      tool,
      `#!/bin/sh\necho "$*" >> '${called}'\ncase "$*" in *-o) cat '${held}' ;; *) cat > '${held}' ;; esac\n`,
    )
    chmodSync(tool, 0o755)
    writeFileSync(held, '')
    const child = shop.starts(['redeem', order, '--copy', '--only', 'pin'], {
      env: { PATH: `${tools}:${process.env.PATH}`, DISPLAY: ':0', WAYLAND_DISPLAY: '', WSL_DISTRO_NAME: '' },
    })
    await once(child.stderr ?? child, 'data')
    expect(readFileSync(held, 'utf8')).toBe(pin)
    child.kill('SIGINT')
    const { exitCode, stdout, stderr } = await child
    expect({ exitCode, stdout, held: readFileSync(held, 'utf8') }).toEqual({
      exitCode: 0,
      stdout: '',
      held: '',
    })
    expect(stderr).toMatch(
      /^Copied with xclip: the PIN of card 1, GAME-US \(••••\)\. .*\nThe clipboard is cleared.\n$/,
    )
    expect(readFileSync(called, 'utf8')).toBe(
      '-selection clipboard\n-selection clipboard -o\n-selection clipboard\n',
    )
  },
)
