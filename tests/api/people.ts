import { z } from 'zod'
import type { WholeTollgate } from '../support/whole-tollgate.ts'
import { PASSWORD } from '../support/whole-tollgate.ts'

/** Somebody who can be signed in, and what their requests carry. */
export interface Person {
  readonly id: number
  readonly username: string
  /** Headers of a session: cookie and New-Api-User. */
  readonly headers: Readonly<Record<string, string>>
}

/** Role 1, 10 or 100, with a session of their own; root is there already. Sign-ins by password would count as guesses. */
export async function addPerson(
  whole: WholeTollgate,
  username: string,
  role: 1 | 10 = 1,
): Promise<Person> {
  await whole.root.ask('POST', '/api/user/', z.unknown(), { username, password: PASSWORD })
  const person = await signIn(whole, username)
  if (role === 1) return person
  const promotion = { id: person.id, action: 'promote' }
  await whole.root.ask('POST', '/api/user/manage', z.unknown(), promotion)
  return signIn(whole, username)
}

/** A new session of somebody who exists. */
export async function signIn({ tollgate }: WholeTollgate, username: string): Promise<Person> {
  const user = await tollgate.identity.users.byLogin(username)
  if (user === null) throw new Error(`there is no user ${username}`)
  const { token } = await tollgate.identity.sessions.open(user.id)
  const headers = { cookie: `session=${token}`, 'new-api-user': String(user.id) }
  return { id: user.id, username, headers }
}
