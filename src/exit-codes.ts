// The exit codes. They never change, because scripts depend on them, but new ones may be added.

export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  internal: { code: 1, meaning: 'a defect in orderctl' },
  usage: { code: 2, meaning: 'a flag, file or value is wrong; nothing was sent' },
  refused: { code: 3, meaning: 'the service or a check of this command refused; this run confirmed nothing' },
  credentials: { code: 4, meaning: 'credentials are missing or rejected, or no account is selected' },
  unavailable: {
    code: 5,
    meaning:
      'the service was unreachable or gave no usable response; this run spent nothing; safe to run again',
  },
  unknown: {
    code: 6,
    meaning: 'money may have been spent; do not order again; the message says what to do next',
  },
  failed: { code: 7, meaning: 'the order or batch failed, or the order was rejected' },
  partial: { code: 8, meaning: 'the order or batch is paid, but cards are missing or duplicates' },
  'local-state': {
    code: 9,
    meaning: 'the journal or the profiles cannot be read or written safely; no confirm was sent',
  },
  expired: { code: 10, meaning: 'the order expired; not confirmed so far' },
  duplicate: {
    code: 11,
    meaning: 'the order, reference or batch already exists or is in progress; this run spent nothing',
  },
  'not-approved': {
    code: 12,
    meaning:
      'a limit, a missing approval, an unaccepted webhook host or the guard against assistants prevented it; this run spent nothing',
  },
  stopped: {
    code: 13,
    meaning:
      'a batch stopped before its end: at a limit, without an approval, at an overcharged order, or at an error after it had spent; run it again',
  },
  installation: {
    code: 72,
    meaning: 'a file of the program is missing or was replaced; run it again, or install it again',
  },
  'output-lost': { code: 74, meaning: 'the output could not be written in full' },
  'timed-out': {
    code: 124,
    meaning: 'the order is still in progress: watch stopped waiting, or redeem has no cards to show',
  },
  interrupted: { code: 130, meaning: 'interrupted' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes
