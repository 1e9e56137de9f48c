// The command `orderctl serve-mock`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

const faultHelp = `
A fault is written OPERATION:KIND[=VALUE][xCOUNT|@PERCENT%]. Operations: create, confirm, get, any.
Without COUNT or PERCENT, only the next matching request fails.
  status=503        answer with this status (or status=503,BODY); the work is not done
  html, redirect    answer like a proxy; the work is not done
  reset-before      reset the connection; the work is not done
  reset-after       do the work, then reset the connection: the answer is lost
  empty             do the work, then close the connection without a byte
  truncate          do the work, send half of the announced bytes
  bad-json          do the work, send half of the JSON as if it were complete
  garbage           do the work, send meaningless bytes
  drip=100ms        do the work, send one byte every 100 ms
  content-type=T    do the work, send the type text/plain, or T
  latency=2s        wait first; can be combined with another fault
Examples: get:status=503x3   any:latency=2s@50%   create:truncate

While it runs, GET /_mock/ lists what you can see and set: state, clock, outcomes, webhooks, faults.
Products whose SKU begins with TEST- trigger rare outcomes. Full guide: docs/serve-mock.md
`

export const serveMockCommand: CommandEntry = {
  name: 'serve-mock',
  summary: 'Run the order service locally, for tests',
  group: 'Testing',
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
