// Each argument of each command, with 10,000 characters and with bytes that are not UTF-8.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { entries } from '../../src/cli/program.ts'
import type { Context } from '../../src/context.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { byExecutable, customer } from '../support/customer.ts'
import { inSituation } from '../support/in-process.ts'
import { folder } from '../support/orderctl.ts'

type Slot = { readonly name: string; readonly words: (value: string) => string[] }

/** The required flags of a command. */
const needed: Readonly<Record<string, readonly string[]>> = {
  create: ['--product', 'GAME-US:25', '--wallet', 'USD'],
  'profile add': ['--base-url', 'https://orders.test', '--key-stdin'],
  // The default ports may be in use.
  'serve-mock': ['--port', '0'],
  listen: ['--port', '0'],
}

const slotsOf = (command: Command, way: readonly string[]): Slot[] => {
  const operands = command.registeredArguments.map((operand) => operand.name())
  const given = command.registeredArguments
    .filter((operand) => operand.required || (operand.name() === 'order' && command.name() !== 'reconcile'))
    .map(() => 'ord_x')
  return [
    ...operands.map((name, at) => ({
      name: `${way.join(' ')} <${name}>`,
      words: (value: string) => [...way, ...given.slice(0, at), value],
    })),
    ...command.options
      .filter(({ required, optional }) => required || optional)
      .map(({ long }) => ({
        name: `${way.join(' ')} ${long}`,
        words: (value: string) => [...way, ...given, ...(needed[way.join(' ')] ?? []), `${long}`, value],
      })),
    ...command.commands.flatMap((each) => slotsOf(each, [...way, each.name()])),
  ]
}

const slots = entries.flatMap((entry) => {
  const command = new Command(entry.name)
  entry.define(
    command as never,
    {} as Context,
    () => {},
    async () => 0,
  )
  return slotsOf(command, [entry.name])
})
const others: Slot[] = [
  { name: 'the command', words: (value) => [value] },
  { name: 'a flag', words: (value) => ['list', `--${value}`] },
  { name: 'help', words: (value) => ['help', value] },
]

const long = 'x'.repeat(10_000)

test('an argument of 10,000 characters is shortened in the error', {
  timeout: 60_000,
}, async () => {
  const lines: string[] = []
  for (const { name, words } of [...others, ...slots]) {
    const cwd = folder()
    const situation = { cwd, env: { ORDERCTL_STATE_DIR: path.join(cwd, 'state') } }
    // serve-mock would not end by itself.
    const interrupted = name.startsWith('serve-mock') ? { interrupted: AbortSignal.abort('SIGINT') } : {}
    const { exit, stderr } = await inSituation(words(long), { ...situation, ...interrupted, input: 'key' })
    const said = stderr.replace(/^Using .*\n/, '').split('\n')[0] ?? ''
    lines.push(`${name}: ${exit} ${said.replace(/x{30,}(…x*)?/g, 'x…').replaceAll(cwd, '~')}`.trimEnd())
    expect([name, stderr.length < 1_000]).toEqual([name, true])
  }
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    the command: 2 error: unknown command 'x…'
    a flag: 2 error: unknown option '--x…'
    help: 2 error: no help topic 'x…'
    create <file>: 2 error: cannot read the order from x…: name too long
    create --product: 2 error: --product is "x…"; allowed: SKU:QUOTE[xQUANTITY][/TYPE], such as GAME-US:25x2
    create --again: 2 error: --again takes the products of the order, so it cannot be used with --product or a file
    create --wallet: 2 error: the order is not valid; nothing was sent
    create --reference: 0
    create --webhook-url: 2 error: the order is not valid; nothing was sent
    create --max-total: 2 error: 2 flags are invalid
    create --profile: 2 error: there is no profile of that name
    create --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    create --fields: 2 error: --fields needs --json
    confirm <order>: 3 error: order x…: the service refused: Not Found
    confirm --max-total: 2 error: --max-total is "x…"; allowed: an amount such as 100 or 99.50
    confirm --min-validity: 2 error: --min-validity is "x…"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0
    confirm --profile: 2 error: there is no profile of that name
    confirm --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    confirm --fields: 2 error: --fields needs --json
    get <order>: 3 error: order x…: the service refused: Not Found
    get --card: 2 error: 2 flags are invalid
    get --profile: 2 error: there is no profile of that name
    get --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    get --fields: 2 error: --fields needs --json
    redeem <order>: 3 error: order x…: the service refused: Not Found
    redeem --sku: 3 error: order ord_x: the service refused: Not Found
    redeem --only: 2 error: --only is "x…"; allowed: pin, code, link, serial
    redeem --card: 2 error: --card is "x…"; allowed: a whole number from 1
    redeem --export: 2 error: --export is "x…"; allowed: a name that ends in .csv, .json, .txt, .html
    redeem --profile: 2 error: there is no profile of that name
    redeem --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    redeem --fields: 2 error: --fields needs --json
    watch <order>: 3 error: order x…: the service refused: Not Found
    watch --for: 2 error: --for is "x…"; allowed: created, confirmed, processing, rejected, failed, partial, successful
    watch --interval: 2 error: --interval is "x…"; allowed: a duration of at least 100ms, such as 500ms or 2s
    watch --profile: 2 error: there is no profile of that name
    watch --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    watch --fields: 2 error: --fields needs --json
    list --state: 2 error: --state is "x…"; allowed: created, confirmed, processing, rejected, failed, partial, successful, unknown, unanswered, expired, refused, not-sent
    list --since: 2 error: --since is "x…"; allowed: a date such as 2026-11-01, a date and time such as '2026-11-01 14:30', or an age such as 24h, 30d or 2w
    list --reference: 0 No matching orders
    list --batch: 2 error: no batch 'x…' in this journal
    list --profile: 2 error: there is no profile of that name
    list --by: 0 No matching orders
    list --limit: 2 error: --limit is "x…"; allowed: a whole number from 1
    list --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    list --fields: 2 error: --fields needs --json
    find --since: 2 error: --since is "x…"; allowed: a date such as 2026-11-01, a date and time such as '2026-11-01 14:30', or an age such as 24h, 30d or 2w
    find --profile: 2 error: there is no profile of that name
    find --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    find --fields: 2 error: --fields needs --json
    report --since: 2 error: --since is "x…"; allowed: a month such as 2026-11, a date such as 2026-11-01, a date and time such as '2026-11-01 14:30', or an age such as 24h, 30d or 2w
    report --until: 2 error: --until is "x…"; allowed: a month such as 2026-11, a date such as 2026-11-01, a date and time such as '2026-11-01 14:30', or an age such as 24h, 30d or 2w
    report --by: 2 error: --by is "x…"; allowed: day, week, month, wallet, product, person, profile, batch, reference-prefix
    report --profile: 2 error: there is no profile of that name
    report --html: 74 No charged orders in this period
    reconcile <order>: 2 error: no order 'x…' in this journal for the profile sandbox
    reconcile --settle: 2 error: --settle is "x…"; allowed: spent, not-spent
    reconcile --reason: 2 error: --reason needs --settle
    reconcile --profile: 2 error: there is no profile of that name
    reconcile --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    reconcile --fields: 2 error: --fields needs --json
    batch plan <file>: 2 error: the file name "x…" is not a valid name for a batch; allowed: 1 to 60 characters, without '/', control or invisible characters, not beginning with '-' or '@'
    batch plan --product: 2 error: 2 flags are invalid
    batch plan --wallet: 2 error: 2 flags are invalid
    batch plan --name: 2 error: batch plan needs a file or --product
    batch plan --map: 2 error: batch plan needs a file or --product
    batch plan --profile: 2 error: batch plan needs a file or --product
    batch plan --timeout: 2 error: 2 flags are invalid
    batch plan --fields: 2 error: 2 flags are invalid
    batch run <file-or-batch>: 2 error: no batch 'x…' in this journal for the profile sandbox
    batch run --product: 2 error: 2 flags are invalid
    batch run --wallet: 2 error: 2 flags are invalid
    batch run --name: 2 error: batch run needs a file, a batch or --product
    batch run --map: 2 error: batch run needs a file, a batch or --product
    batch run --max-total: 2 error: 2 flags are invalid
    batch run --wait-approval: 2 error: 2 flags are invalid
    batch run --parallel: 2 error: 2 flags are invalid
    batch run --profile: 2 error: batch run needs a file, a batch or --product
    batch run --timeout: 2 error: 2 flags are invalid
    batch run --fields: 2 error: 2 flags are invalid
    batch list --profile: 2 error: there is no profile of that name
    batch list --limit: 2 error: --limit is "x…"; allowed: a whole number from 1
    batch list --fields: 2 error: --fields needs --json
    batch show <batch>: 2 error: no batch 'x…' in this journal for the profile sandbox
    batch show --profile: 2 error: there is no profile of that name
    batch show --fields: 2 error: --fields needs --json
    batch approve <batch>: 2 error: no batch 'x…' in this journal for the profile sandbox
    batch approve --profile: 2 error: there is no profile of that name
    batch approve --max-total: 2 error: --max-total is "x…"; allowed: an amount such as 100 or 99.50
    batch approve --for: 2 error: --for is "x…"; allowed: a duration such as 4h or 90m, up to 30d
    batch approve --fields: 2 error: --fields needs --json
    batch export <batch>: 2 error: missing required argument 'file'
    batch export <file>: 2 error: FILE is "x…"; allowed: a name that ends in .csv, .jsonl or .html
    batch export --recipient: 2 error: FILE is "ord_x"; allowed: a name that ends in .csv, .jsonl or .html
    batch export --profile: 2 error: FILE is "ord_x"; allowed: a name that ends in .csv, .jsonl or .html
    batch export --timeout: 2 error: 2 flags are invalid
    batch cancel <batch>: 2 error: no batch 'x…' in this journal for the profile sandbox
    batch cancel --profile: 2 error: there is no profile of that name
    batch cancel --fields: 2 error: --fields needs --json
    listen --port: 2 error: --port is "x…"; allowed: a whole number from 0 to 65535; 0 picks a free one
    listen --host: 2 error: the sandbox sends no webhooks, so there is nothing to listen for
    listen --path: 2 error: --path is "x…"; allowed: a path such as /hooks/3f9c, without ? and #
    listen --forward-to: 2 error: --forward-to is "x…"; allowed: a URL that begins with https:// or http://, without user name, password or #
    listen --profile: 2 error: there is no profile of that name
    listen --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    listen replay --forward-to: 2 error: --forward-to is "x…"; allowed: a URL that begins with https:// or http://, without user name, password or #
    listen replay --since: 2 error: required option '--forward-to <url>' not specified
    listen replay --profile: 2 error: required option '--forward-to <url>' not specified
    listen replay --timeout: 2 error: required option '--forward-to <url>' not specified
    profile add <name>: 2 error: --base-url is missing
    profile add --base-url: 2 error: the profile is not valid
    profile add --account: 2 error: the profile is not valid
    profile add --wallet: 2 error: the profile is not valid
    profile add --products: 2 error: cannot read the products from ~/x…: name too long
    profile add --auth: 2 error: the profile is not valid
    profile add --key-file: 2 error: --key-stdin, --key-file and --credential-command cannot be used together
    profile add --credential-command: 2 error: --key-stdin, --key-file and --credential-command cannot be used together
    profile add --journal: 2 error: the journal is not the address of a database
    profile add --journal-password-command: 2 error: --journal-password-command needs --journal
    profile show <name>: 2 error: there is no profile of that name
    profile use <name>: 2 error: there is no profile of that name
    profile remove <name>: 2 error: there is no profile of that name
    profile limits <name>: 2 error: there is no profile of that name
    profile limits --budget: 2 error: --budget is "x…"; allowed: an amount, a currency and a period, such as 500USD/day; the periods are order, day, week and month
    profile limits --remove-budget: 2 error: --remove-budget is "x…"; allowed: order, day, week or month, or one currency of it, such as USD/day
    profile limits --approve-above: 2 error: --approve-above is "x…"; allowed: an amount and a currency, such as 1000USD
    profile limits --remove-approval: 2 error: --remove-approval is "x…"; allowed: a currency code in capital letters, such as USD
    profile test <name>: 2 error: there is no profile of that name
    profile test --profile: 2 error: there is no profile of that name
    profile test --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    journal status --profile: 2 error: there is no profile of that name
    journal migrate --profile: 2 error: there is no profile of that name
    journal migrate --grant: 2 error: --grant needs a shared journal, but this journal is a file
    journal migrate --grant-limits: 2 error: --grant-limits needs a shared journal, but this journal is a file
    journal copy --from: 2 error: journal copy needs a shared journal to copy to
    journal copy --profile: 2 error: required option '--from <file>' not specified
    sandbox advance <duration>: 2 error: the duration is "x…"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0
    serve-mock <command>: 2 error: "x…" is not expected here; put the command to run after --exec --
    serve-mock --port: 2 error: --port is "x…"; allowed: a whole number from 0 to 65535; 0 picks a free one
    serve-mock --host: 2 error: --host x… can be reached from other machines, so it needs --api-key
    serve-mock --allow-host: 0
    serve-mock --api-key: 0
    serve-mock --catalogue: 2 error: cannot read the catalogue from x…: name too long
    serve-mock --state: 9 error: cannot use the state file x…: name too long
    serve-mock --seed: 0
    serve-mock --rates: 2 error: --rates is "x…"; allowed: moving or fixed
    serve-mock --processing-time: 2 error: --processing-time is "x…"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0
    serve-mock --latency: 2 error: --latency is "x…"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0, or a range such as 50ms..200ms
    serve-mock --redeem-shape: 2 error: --redeem-shape is "x…"; allowed: A or B
    serve-mock --fault: 2 error: --fault is "x…": a fault must have the form OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]
    serve-mock --webhook-secret: 0
    serve-mock --webhook-allow: 0
    completion <bash|zsh|fish|powershell>: 2 error: orderctl has no completion for 'x…'
    completion install <bash|zsh|fish|powershell>: 2 error: orderctl has no completion for 'x…'
    completion uninstall <bash|zsh|fish|powershell>: 2 error: orderctl has no completion for 'x…'
    doctor --timeout: 2 error: --timeout is "x…"; allowed: a duration such as 500ms, 2s or 11m, up to 30d
    "
  `)
})

const refusal = (all: readonly string[]): string => {
  const at = all.findIndex((word) => word.includes('\ufffd'))
  const fix = 'Use a terminal with a UTF-8 locale.'
  return `error: argument ${at + 1} is not valid UTF-8: ${JSON.stringify(all[at])}\ntry: ${fix}\n`
}

describe('an argument that is not UTF-8 is refused', () => {
  test('before any work is done', async () => {
    for (const { words } of [...others, ...slots]) {
      const cwd = folder()
      const all = words('a\ufffdb')
      const ran = await inSituation(all, { cwd, input: 'key' })
      expect(ran).toMatchObject({ exit: 2, stdout: '', stderr: refusal(all) })
      expect(readdirSync(cwd)).toEqual([])
    }
  })

  // Node's own ways to start a process write UTF-8.
  const bytes = `case $word in *BYTES) word=\${word%BYTES}$(printf 'a\\377b') ;; esac`
  const under = ['sh', '-c', `for word; do shift; ${bytes}; set -- "$@" "$word"; done; exec "$@"`, 'sh']

  test('by the built executable', { timeout: 120_000 }, async () => {
    const shop = await customer(byExecutable)
    const all = [...others, ...slots]
    const findProblems = async ({ words }: Slot): Promise<string[]> => {
      const { exit, stderr } = await shop.run(words('BYTES'), { under })
      return exit === 2 && stderr === refusal(words('a\ufffdb')) ? [] : [`${exit}: ${stderr}`]
    }
    expect(await collectFailures(isFullRun ? all : sampleEvenly(all, 6), findProblems)).toEqual([])
    expect(await shop.asked()).toBe('')
  })

  test('except in completion, which prints no errors', async () => {
    const { exit, stderr } = await inSituation(['__complete', 'orderctl', 'get', 'a\ufffdb'])
    expect([exit, stderr]).toEqual([0, ''])
  })
})
