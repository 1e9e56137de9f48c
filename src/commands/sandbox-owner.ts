// Whose the sandbox's orders are, in the journal.
import type { Owner } from '../journal/entry.ts'

export const sandboxOwner: Owner = { profile: 'sandbox', origin: 'sandbox:' }
