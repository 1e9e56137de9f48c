// The options of serve-mock, read once from its flags.

import { findSecretProblem } from '../../contract/http/webhook-signature.ts'
import type { RedeemShape } from '../../service/catalogue.ts'
import { type Fault, parseFault } from '../../service/faults/fault-form.ts'
import { type Latency, latencyForm, parseLatency } from '../../service/faults/latency.ts'
import { type RateMode, rateModes } from '../../service/market.ts'
import { parseHost } from '../../service/webhooks/address.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import type { ServeMockFlags } from './flags.ts'

export type ServeMockOptions = {
  readonly port: number
  readonly host: string
  readonly allowedHosts: ReadonlySet<string>
  readonly apiKey: string | undefined
  readonly catalogueFile: string | undefined
  readonly stateFile: string
  readonly seed: string | undefined
  readonly rates: RateMode | undefined
  readonly processingMs: number
  readonly latency: Latency | undefined
  readonly redeemShape: RedeemShape | undefined
  readonly faults: readonly Fault[]
  readonly webhookSecret: string | undefined
  readonly webhookAllowed: ReadonlySet<string>
  readonly finalWebhook: boolean
  readonly hasInspector: boolean
  readonly opensInspector: boolean
  /** Empty: serve until interrupted. */
  readonly command: readonly string[]
  readonly json: boolean
}

const defaultPort = 4010

export const readServeMockOptions = (flags: ServeMockFlags, command: readonly string[]): ServeMockOptions => {
  const { read, readDuration, addProblem, check } = createFlagReader('serve-mock')

  const port = read('--port', flags.port, parsePort, 'a whole number from 0 to 65535; 0 picks a free one')
  const processingMs = readDuration('--processing-time', flags.processingTime)
  const rates = read('--rates', flags.rates, parseRateMode, 'moving or fixed')
  const latency = read('--latency', flags.latency, parseLatency, latencyForm)
  const redeemShape = read('--redeem-shape', flags.redeemShape, parseShape, 'A or B')
  const notEmpty = (text: string) => text || undefined
  const apiKey = read('--api-key', flags.apiKey, notEmpty, 'a non-empty key')
  const stateFile = read('--state', flags.state, notEmpty, 'a file')
  const readHosts = (flag: string, hosts: readonly string[] = []): ReadonlySet<string> =>
    new Set(
      hosts
        .map((host) => read(flag, host, parseHost, 'a host name or address, without scheme or port'))
        .filter((host) => host !== undefined),
    )
  const allowedHosts = readHosts('--allow-host', flags.allowHost)
  const webhookAllowed = readHosts('--webhook-allow', flags.webhookAllow)
  const faults: Fault[] = []
  for (const text of flags.fault ?? []) {
    const fault = parseFault(text)
    if (typeof fault === 'string') addProblem(`--fault is ${JSON.stringify(text)}: ${fault}`)
    else faults.push(fault)
  }
  const secret = flags.webhookSecret === undefined ? undefined : findSecretProblem(flags.webhookSecret)
  if (secret !== undefined) addProblem(`--webhook-secret is invalid: ${secret}`)
  if (flags.exec === true && command.length === 0) addProblem('--exec needs a command after --')
  if (flags.exec !== true && command.length > 0) {
    addProblem(`${JSON.stringify(command[0])} is not expected here; put the command to run after --exec --`)
  }
  if (flags.open === true && !flags.inspector) addProblem('--open cannot be used with --no-inspector')
  check()

  return {
    // With --exec, several jobs may run at once on one machine.
    port: port ?? (command.length > 0 ? 0 : defaultPort),
    host: flags.host,
    allowedHosts,
    apiKey,
    catalogueFile: flags.catalogue,
    stateFile: stateFile ?? ':memory:',
    seed: flags.seed,
    rates,
    processingMs: processingMs ?? 0,
    latency,
    redeemShape,
    faults,
    webhookSecret: flags.webhookSecret,
    webhookAllowed,
    finalWebhook: flags.finalWebhook,
    hasInspector: flags.inspector,
    opensInspector: flags.open === true,
    command,
    json: flags.json === true,
  }
}

const parsePort = (text: string): number | undefined =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined

const parseRateMode = (text: string): RateMode | undefined => rateModes.find((mode) => mode === text)

const parseShape = (text: string): RedeemShape | undefined => {
  const shape = text.toUpperCase()
  return shape === 'A' || shape === 'B' ? shape : undefined
}
