// The command `orderctl serve-mock`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

const faultHelp = `
A fault has the form OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]. The operations
are create, confirm, get and any. Without COUNT or PERCENT, only the next
matching request fails.
  status=503        answer 503 (or status=503,BODY); do not handle the request
  status=429,retry-after=2
                    also send Retry-After: 0 to 3600 seconds, for 400 to 599
  html, redirect    answer like a proxy; do not handle the request
  reset-before      reset the connection; do not handle the request
  reset-after       handle the request, then reset the connection
  empty             handle the request, then close the connection without a byte
  truncate          handle the request, then send half of the announced bytes
  bad-json          handle the request, then send valid HTTP with half the JSON
  garbage           handle the request, then send meaningless bytes
  drip=100ms        handle the request, then send one byte every 100 ms
  content-type=T    handle the request, then send this type (default: text/plain)
  latency=2s        wait first; can be combined with another fault
Examples: get:status=503x3   any:latency=2s@50%   create:truncate

The inspector is a web page that shows requests, orders, webhooks and faults as
they change. serve-mock prints its URL, and --open opens it.
While serve-mock runs, GET /_mock/ lists the control requests: state, clock,
outcomes, webhooks and faults. Products whose SKU begins with TEST- trigger rare
outcomes. Full guide: docs/serve-mock.md
`

export const serveMockCommand: CommandEntry = {
  name: 'serve-mock',
  summary: 'Run a mock of the service locally, for tests',
  group: 'Other',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl serve-mock',
          'orderctl serve-mock --state shop.db --seed demo --fault confirm:reset-after',
          'orderctl serve-mock --exec -- npm test',
        ),
      )
      .addHelpText('after', faultHelp)
      .action(async (command, flags) => {
        const { readServeMockOptions } = await import('./options.ts')
        const { serveMock } = await import('./run.ts')
        setExit(await serveMock(context, readServeMockOptions(flags, command)))
      })
  },
}
