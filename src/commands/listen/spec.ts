// The commands `orderctl listen` and `orderctl listen replay`: their flags and help.
import { account, port, profile } from '../../cli/flags.ts'
import { moment } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type Given, type OptionsOf } from '../../cli/spec.ts'

const targetForm = 'a URL that begins with https:// or http://, without user name, password or #'

const parseTarget = (text: string, { problem }: Given): URL | undefined => {
  const url = /^https?:\/\//i.test(text) && !/[\s\\#\p{Cc}]/u.test(text) ? URL.parse(text) : null
  if (url !== null && url.username === '' && url.password === '') return url
  // A value that may have a password is not printed.
  return text.includes('@') ? problem(`--forward-to must be ${targetForm}`) : undefined
}

const target = { takes: '<url>', parse: parseTarget, allowed: targetForm } as const

const listen = defineSpec({
  guide: 'webhooks',
  description: 'Receive webhooks, and update the orders in the journal.',
  usage: '[flags]',
  flags: {
    port: {
      ...port,
      help: 'port to listen on; 0 picks a free port (default: 4020)',
      default: 4020,
      excludes: { status: '' },
    },
    host: {
      takes: '<address>',
      help: 'address to listen on (default: 127.0.0.1)',
      parse: (text) => text.trim() || undefined,
      allowed: 'an address',
      default: '127.0.0.1',
      excludes: { status: '' },
    },
    path: {
      takes: '<path>',
      help: 'path of the URL (default: a new secret path)',
      parse: (text) => (/^\/[\w\-.~/%!$&'()*+,;=:@]{1,500}$/.test(text) ? text : undefined),
      allowed: 'a path such as /hooks/3f9c, without ? and #',
      excludes: { status: '' },
    },
    secretStdin: {
      help: 'require signatures; read the secret from standard input',
      excludes: { status: '' },
    },
    forwardTo: {
      ...target,
      act: 'reveal codes of a real account',
      help: 'send each delivery to this URL until it responds with 2xx',
      excludes: { status: '' },
    },
    status: { help: 'show the deliveries that wait to be forwarded, and exit' },
    ...account,
    profile: { ...profile, help: 'profile to use (default: the profile in use)' },
  },
  examples: ['orderctl listen --forward-to http://localhost:3000/ --secret-stdin < secret'],
})

const replay = defineSpec({
  summary: 'Send the orders of received deliveries again',
  act: 'reveal codes of a real account',
  description:
    'Send the orders of received deliveries to a URL again, with their codes. orderctl reads each order from the service, and sends it with the header orderctl-replay: true. The exit code is 5 if the URL does not accept an order, and 3 if the service does not know an order.',
  flags: {
    forwardTo: { ...target, help: 'URL to which orderctl sends the orders', required: true },
    since: {
      ...moment,
      help: 'only what was received or changed since a date, a time or an age such as 30m; at most 30d (default: 1h)',
    },
    fromJournal: { help: 'send the paid orders that changed while nothing listened' },
    ...account,
  },
  examples: [
    'orderctl listen replay --forward-to http://localhost:3000/orders',
    'orderctl listen replay --since 2h --forward-to http://localhost:3000/ --json',
    'orderctl listen replay --from-journal --forward-to http://localhost:3000/',
  ],
})

export type ListenOptions = OptionsOf<typeof listen>
export type ReplayOptions = OptionsOf<typeof replay>

export const command = defineCommand(listen, async () => (await import('./run.ts')).listen, {
  replay: defineCommand(replay, async () => (await import('./replay.ts')).replay),
})
