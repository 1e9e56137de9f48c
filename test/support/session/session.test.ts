// The runner of sessions: every kind of difference fails and shows the line of the file, and a rewritten file passes.
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkSession, diffLines } from './define.ts'
import { formatSessions, parseSessions, type Step } from './parse.ts'
import { runSession } from './run.ts'

const text = `# A comment.

== an order is bought once
file ids.txt
| sbx_0000000000000001
$ orderctl create --product GAME-US:25 --wallet USD --reference po-1 --confirm -q
> sbx_0000000000000001
sent create 1, confirm 1

# The response to this get is lost.
fault get:status=503
$ orderctl confirm sbx_0000000000000001 --idempotent \\
  --json | jq .id,.state
> "sbx_0000000000000001" "confirmed"
$ orderctl confirm nobody -q
! error: order 'nobody' not found
! Check the order id and the profile.
? 3
sent get 1
$ for id in nobody @last; do orderctl get $id -q 2>/dev/null; done
> sbx_0000000000000001
? 3, 0
$ for flags in '' --all; do orderctl list $flags -q; done
>> sbx_0000000000000001
sent nothing
`

const parseOnly = (of: string) => {
  const [session, ...more] = parseSessions(of).sessions
  if (session === undefined || more.length > 0) throw new Error('not one session')
  return session
}

/** Checks the session with a change as if it was a file. Returns the error. */
const check = async (from: string | RegExp = '', to = ''): Promise<string> => {
  const changed = text.replace(from, to)
  const ended = await checkSession(path.resolve('a.session'), parseOnly(changed)).catch(String)
  return ended ?? 'passes'
}

test('a session passes, and is written as it was', async () => {
  expect(await check()).toBe('passes')
  expect(formatSessions(parseSessions(text), ({ output }) => output)).toBe(text)
})

test.each([
  ['another exit code', '? 3', '? 4', 15, '- ? 4'],
  ['a success instead of an exit code', '? 3\nsent', 'sent', 15, '+ ? 3'],
  ['an exit code instead of a success', '> "sbx_', '? 3\n> "sbx_', 12, '- ? 3'],
  ['a missing line of stderr', '! Check the order id and the profile.\n', '', 15, '+ ! Check the order id'],
  ['stdout instead of stderr', '! Check', '> Check', 15, '- > Check the order id'],
  ['another count of requests', 'confirm 1', 'confirm 2', 6, '- sent create 1, confirm 2'],
  [
    'what one turn of a loop prints, as that of all',
    '> sbx_0000000000000001\n? 3, 0',
    '>> sbx_0000000000000001\n? 3, 0',
    20,
    '- >> sbx_',
  ],
  ['what all turns print, as that of one', '>> sbx_', '> sbx_', 23, '- > sbx_'],
  ['a read that is listed', 'get 1', 'get 2', 15, '- sent get 2'],
  ['requests that are not listed', 'sent create 1, confirm 1\n', '', 6, '+ sent create 1, confirm 1'],
])('%s fails', async (_what, from, to, line, difference) => {
  const error = await check(from, to)
  expect(error).toContain(`a.session:${line}\n  $ `)
  expect(error).toContain(`\n${difference}`)
})

test('the wrong prompt and an unknown word fail', async () => {
  const session = text.replace('confirm nobody -q', 'confirm @last\n: Really? › no')
  expect(await check(/.*/s, session)).toContain('- : Really? › no')
  expect(await check('fault get', 'break get')).toContain("'break' is none of: $, fault, ")
  expect(await check('fault get', 'once break get')).toContain("'break' is none of: ")
  expect(await check('status=503', 'nonsense')).toContain('nonsense')
  expect(await check('fault get:status=503', 'kill at create')).toContain('at create, and ended without it')
  const meanwhile = 'meanwhile after get\n| $ orderctl list -q\n| > other'
  expect(await check('fault get:status=503', meanwhile)).toContain('> sbx_0000000000000001')
  expect(await check('fault get:status=503', 'meanwhile at create')).toContain(
    'before the steps of meanwhile',
  )
})

test('what the run prints, written into the file, passes', async () => {
  const empty = parseSessions(text.replaceAll(/^(?:>>?|!|[?]|sent create) .*\n/gm, ''))
  const outputs = new Map<Step, readonly string[]>()
  await runSession(empty.sessions[0]?.steps ?? [], (step, output) => outputs.set(step, output).size > 0)
  expect(formatSessions(empty, (step) => outputs.get(step) ?? [])).toBe(text)
})

test('the lines that are equal stand once', () => {
  expect(diffLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual(['  a', '- b', '+ x', '  c', '+ d'])
})
