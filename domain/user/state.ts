import type { Role } from './events.ts'

/** A user as the events leave them. Names and credentials are kept by `identity`. */
export type UserState =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'active' | 'banned' | 'deleted'
      readonly role: Role
      readonly group: string
      readonly inviter: number | null
    }

export type KnownUser = Exclude<UserState, { readonly status: 'unknown' }>

export const NO_USER: UserState = { status: 'unknown' }
