// The one table of exit codes. Frozen: scripts depend on it.

export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  internal: {
    code: 1,
    meaning: 'a defect in orderctl, or an answer that nobody could read on a read-only call',
  },
  usage: { code: 2, meaning: 'flags, an order file or a value are wrong; nothing was sent' },
  refused: { code: 3, meaning: 'the service refused, or a guard such as --max-total did' },
  credentials: { code: 4, meaning: 'missing or rejected' },
  'not-sent': { code: 5, meaning: 'the service could not be reached; nothing changed, safe to run again' },
  unknown: { code: 6, meaning: 'money may be spent: do not order again; the message names the next command' },
  failed: { code: 7, meaning: 'the order ended failed or rejected' },
  partial: { code: 8, meaning: 'the order ended partial: some codes are there' },
  'local-state': { code: 9, meaning: 'local files cannot be read or written safely; nothing was sent' },
  expired: { code: 10, meaning: 'the order expired unconfirmed' },
  'output-lost': { code: 74, meaning: 'the result could not be written in full, to stdout or to a file' },
  'timed-out': { code: 124, meaning: 'watch stopped waiting; the order goes on' },
  interrupted: { code: 130, meaning: 'interrupted' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes
