// Themes: each makes other dangers likely. The numbers are weights, or probabilities from 0 to 1.

const anything = {
  /** Orders that are placed and confirmed at once, or placed only. */
  ...{ buy: 40, place: 10 },
  ...{ confirm: 18, reconcile: 8, read: 9, settle: 2, profile: 4 },
  /** How often the same command is run again, and how often time passes before a command. */
  ...{ again: 0.4, time: 0.25 },
  /** Whether time is measured from the expiry of the newest order, and whether clocks are put wrong. */
  ...{ expiry: 0.5, clocks: 0.2 },
  ...{ dateless: 0.1, confirmFault: 0.45, createFault: 0.12, getFault: 0.3 },
  /** Among the faults of get: an old state. */
  chooseStaleRead: 0.3,
  /** Among the faults of create: the response to a different create. */
  swapped: 0.1,
  ...{ kill: 0.2, beside: 0.2 },
  /** How often a command uses a different profile or spelling for an account. */
  spelling: 0.25,
  withoutReference: 0.2,
  /** How many references there are. */
  references: 4,
  ...{ duplicate: 0.05, idempotent: 0.25 },
  /** How often the operator runs a command that orderctl printed. */
  obey: 20,
  /** How often a command runs on the second machine. */
  elsewhere: 0.1,
  /** How often a service behaves in an undocumented way, and how often something happens there by itself. */
  ...{ odd: 0.4, event: 0.05 },
}

export type Theme = Readonly<typeof anything>

const calm: Theme = {
  ...anything,
  ...{ profile: 0, clocks: 0, dateless: 0, createFault: 0, spelling: 0, withoutReference: 0, beside: 0 },
  ...{ references: 1, duplicate: 0, read: 2 },
  ...{ obey: 10, elsewhere: 0, odd: 0.15, event: 0 },
}

export const themes = {
  anything,
  /** The outcome of a confirm is unknown, and every process tries again. */
  doubt: {
    ...calm,
    ...{ buy: 50 },
    ...{ confirmFault: 0.7, getFault: 0.5, kill: 0.3, again: 0.6, beside: 0.1, spelling: 0.2 },
  },
  /** Confirmed shortly before the expiry, and read shortly after it. */
  expiry: {
    ...calm,
    ...{ buy: 20, place: 15, confirm: 30, reconcile: 25 },
    ...{ time: 0.7, expiry: 0.8, confirmFault: 0.6, getFault: 0.6, chooseStaleRead: 0.8 },
  },
  /** No process knows the time. */
  clocks: { ...calm, place: 25, confirm: 25, time: 0.6, clocks: 0.6, dateless: 0.6, getFault: 0.2 },
  /** Many processes at once. */
  crowd: {
    ...calm,
    ...{ place: 15, confirm: 30 },
    ...{ beside: 0.8, confirmFault: 0.3, time: 0.1, spelling: 0.3, kill: 0.1 },
  },
  /** No command has a reference. */
  twins: { ...calm, buy: 60, confirm: 10, withoutReference: 0.9, confirmFault: 0.5, kill: 0.4, again: 0.7 },
  /** Responses that are not what they seem. */
  falseAnswers: {
    ...calm,
    ...{ place: 25, confirm: 30, references: 2 },
    ...{ createFault: 0.3, swapped: 0.7, getFault: 0.6, chooseStaleRead: 0.4, confirmFault: 0.2 },
  },
  /** The operator runs what orderctl prints, and the service is not as documented. */
  obedient: {
    ...calm,
    ...{ obey: 80, buy: 20, place: 10, confirm: 15, read: 15, references: 2 },
    ...{ elsewhere: 0.15, odd: 0.8, event: 0.15, dateless: 0.05, idempotent: 0.4 },
  },
  /** One account by many names. */
  names: { ...calm, profile: 15, spelling: 0.8, references: 4, confirmFault: 0.3 },
} satisfies Readonly<Record<string, Theme>>
