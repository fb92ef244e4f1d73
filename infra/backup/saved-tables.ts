/**
 * What a backup holds: the log, and what no event says (who people are, what must stay secret, which work is still to be
 * done). In the order in which they
 * can be filled. Everything else in the database is either derived from these or lasts seconds.
 */
export const SAVED_TABLES = [
  'ledger.head',
  'ledger.events',
  'identity.users',
  'identity.setup',
  'identity.notifications',
  'secrets.tokens',
  'secrets.channels',
  'secrets.options',
  'process_manager.checkpoint',
  'process_manager.pending',
] as const

export type SavedTable = (typeof SAVED_TABLES)[number]

/** Tables of the source migrations that a backup leaves out, and why. A test wants every table here or above. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'identity.sessions':
    'a session that was ended after the backup must not come back: people sign in again',
  'coordination.members': 'says which processes are alive now',
  'coordination.leases': 'says which process may do what now',
}

export const isSavedTable = (name: string): name is SavedTable =>
  (SAVED_TABLES as readonly string[]).includes(name)
