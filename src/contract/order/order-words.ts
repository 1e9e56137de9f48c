// The words for an order or a batch on a command line, and the ids that could be read as a different word.

export const lastWord = '@last'
export const referencePrefix = 'ref:'
export const batchPrefix = 'batch:'

/** The start of the name of each batch that an assistant plans. */
export const assistantPrefix = 'mcp-'

export const namesBatch = (text: string): boolean => text.startsWith(batchPrefix)

export const needsJournal = (text: string): boolean =>
  text === lastWord || text.startsWith(referencePrefix) || namesBatch(text)

/** Spec silent: the form of an id. False if a command would read it as a different order. */
export const isOrderId = (text: string): boolean => text !== '' && text === text.trim() && !needsJournal(text)
