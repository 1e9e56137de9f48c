// The files of the journal in the state folder.
export const journalFile = 'journal.db'
export const machineFile = 'machine.db'
