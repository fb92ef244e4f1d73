import { refusal } from '../refusal.ts'

/** The refusal of a request whose client did not wait for its answer. Only the log reads it. */
export const CLIENT_LEFT = refusal(499, 'client_closed_request', 'the client closed the connection')
