// The command `orderctl serve-mock`: its arguments, flags and help.

import { duration, port } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'
import { parseDecimal, zero } from '../../contract/money/decimal.ts'
import { normalizeCurrency } from '../../contract/shape.ts'
import { findSecretProblem } from '../../contract/webhook-signature.ts'
import type { Rate } from '../../service/catalogue.ts'
import { latencyForm, parseFault, parseLatency } from '../../service/faults.ts'
import { parseHost } from '../../service/webhooks/address.ts'

const host = {
  takes: '<host>',
  parse: parseHost,
  allowed: 'a host name or address, without scheme or port',
} as const

const parseRate = (text: string): Rate | undefined => {
  const [, base = '', target = '', amount = ''] = /^(.+)\/(.+)=(.+)$/.exec(text) ?? []
  const [baseCurrency, targetCurrency] = [normalizeCurrency(base), normalizeCurrency(target)]
  const rate = parseDecimal(amount)
  if (baseCurrency === undefined || targetCurrency === undefined || !rate?.gt(zero)) return undefined
  return { baseCurrency, targetCurrency, rate }
}

const parseNotEmpty = (text: string): string | undefined => text || undefined

const spec = defineSpec(
  {
    guide: 'serve-mock',
    description:
      'Run a mock of the order service on this machine, with every documented response, webhooks and faults. ' +
      'It spends no real money. It sends nothing to other machines unless you pass --webhook-allow.',
    usage: '[flags] [--exec -- COMMAND...]',
    args: { command: { form: '[command...]', nameInErrors: 'a command after --', completes: 'command' } },
    flags: {
      port: { ...port, help: 'port (default: 4010; with --exec 0, a free one)' },
      host: {
        takes: '<address>',
        help: 'address to listen on; needs --api-key unless it is loopback (default: 127.0.0.1)',
        default: '127.0.0.1',
      },
      allowHost: {
        advanced: true,
        ...host,
        help: 'also accept this name in the Host header, such as that of a proxy or container',
        repeats: true,
      },
      apiKey: {
        takes: '<key>',
        help: 'key that requests must send (default: sandbox)',
        parse: parseNotEmpty,
        allowed: 'a non-empty key',
      },
      catalogue: { takes: '<file>', help: 'JSON file of products, wallets and rates' },
      state: {
        takes: '<file>',
        help: 'keep the state in this SQLite file (default: in memory)',
        parse: parseNotEmpty,
        allowed: 'a file',
        default: ':memory:',
      },
      seed: {
        advanced: true,
        takes: '<text>',
        help: 'generate the same ids and codes for the same orders (default: random)',
      },
      rates: {
        advanced: true,
        takes: '<from/to=rate>',
        help: 'exchange rate: EUR/USD=1.1 is 1.1 USD for 1 EUR (default: from the catalogue)',
        repeats: true,
        parse: parseRate,
        allowed: 'two currencies and a rate above 0, such as EUR/USD=1.1',
      },
      processingTime: {
        ...duration,
        help: 'time from confirm to final state (default: 2s)',
        default: 2_000,
      },
      latency: {
        advanced: true,
        takes: '<duration>',
        help: 'delay each operation: 200ms, or 50ms..200ms',
        parse: parseLatency,
        allowed: latencyForm,
      },
      redeemShape: {
        advanced: true,
        takes: '<A|B>',
        help: 'use one form of redeem data for all products: A (cards) or B (PINs)',
        parse: (text) => (['A', 'B'] as const).find((shape) => shape === text.toUpperCase()),
        allowed: 'A or B',
      },
      fault: {
        takes: '<fault>',
        help: 'make a request fail, such as get:status=503x3',
        repeats: true,
        parse: (text, { problem }) => {
          const fault = parseFault(text)
          return typeof fault === 'string' ? problem(`--fault is ${JSON.stringify(text)}: ${fault}`) : fault
        },
      },
      webhookSecret: {
        takes: '<secret>',
        help: 'sign webhooks with whsec_BASE64, or any text (Standard Webhooks)',
        parse: (text, { problem }) => {
          const why = findSecretProblem(text)
          return why === undefined ? text : problem(`--webhook-secret is invalid: ${why}`)
        },
      },
      webhookAllow: {
        ...host,
        help: 'also allow webhooks to this host (default: only loopback)',
        repeats: true,
      },
      noFinalWebhook: { advanced: true, help: 'send webhooks only on confirmation, not at the final state' },
      exec: {
        help: 'run COMMAND with this mock as its account, then exit with its exit code',
        needs: { oneOf: ['command'] },
      },
      noInspector: { advanced: true, help: 'serve no inspector, and keep no requests and responses for it' },
      json: { group: 'Output', help: 'log as JSON, one object per line' },
    },
    examples: [
      'orderctl serve-mock',
      'orderctl serve-mock --state shop.db --fault confirm:reset-after',
      'orderctl serve-mock --exec -- npm test',
    ],
    notes: `
A fault has the form OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]: get:status=503x3,
any:latency=2s@50%, confirm:reset-after. The operations are create, confirm, get
and any. The kinds are status, html, redirect, reset-before, reset-after, empty,
truncate, bad-json, garbage, drip, content-type and latency.
`,
  },
  // Words are a command only with --exec.
  ({ exec, command: [word] }) => {
    if (exec || word === undefined) return []
    const text = `${JSON.stringify(word)} is not expected here; put the command to run after --exec --`
    return [{ text, field: '--exec' }]
  },
)

export type ServeMockOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).serveMock)
