import { type ApiRoute, callerOf, failure, route } from '../../http-contract/api-route.ts'
import { z } from 'zod'
import { int, lenientBody, text } from '../../http/body.ts'
import { causeOf } from '../../http/cause.ts'
import { UsernameTaken, usernameTakenMessage } from '../../identity/name-conflicts.ts'
import type { UserRouteDeps } from '../self-routes.ts'
import { signUp } from '../sign-up.ts'
import { invalidUserMessage, PASSWORD_CHARACTERS_MIN, USER_TEXT_MAX } from '../validate.ts'

/** Adds a user of role 1 with an open account; their display name is their name by default (console-api 2.5). */
export const addRoute = (deps: UserRouteDeps): ApiRoute =>
  route({
    method: 'POST',
    path: '/api/user',
    access: 'admin',
    summary: 'Add a user of role 1; answers their id',
    body: lenientBody({
      username: text().meta({
        description: 'Name to sign in with; nobody may have it, nor have had it',
        maxLength: USER_TEXT_MAX.username,
      }),
      password: text().meta({
        description: 'First password of the user',
        minLength: PASSWORD_CHARACTERS_MIN,
        maxLength: USER_TEXT_MAX.password,
      }),
      display_name: text().meta({
        description: 'Name that the user is shown by; empty = the user name',
        maxLength: USER_TEXT_MAX.display_name,
      }),
      role: int().meta({
        description: 'Below the caller’s role; the user is made with role 1 whatever it says',
        enum: [0, 1, 10, 100],
      }),
    }),
    answer: { data: z.strictObject({ id: z.int() }) },
    example: {
      body: { username: 'ann', password: 'correct horse', display_name: 'Ann' },
      data: { id: 7 },
    },
    handle: async (request) => {
      const { body } = request
      const username = body.username.trim()
      if (username === '' || body.password === '') return failure(NAME_OR_PASSWORD_MISSING)
      const displayName = body.display_name === '' ? username : body.display_name
      const invalid = invalidUserMessage({
        username,
        password: body.password,
        display_name: displayName,
      })
      if (invalid !== null) return failure(invalid)
      if (body.role >= callerOf(request).role) return failure(MAY_NOT_CREATE)
      const passwordHash = await deps.passwords.hash(body.password)
      try {
        const { user, position } = await signUp(
          deps,
          { username, displayName, passwordHash },
          causeOf(request),
          request.command.reserve,
        )
        return { data: { id: user.id }, wrote: position }
      } catch (error) {
        if (error instanceof UsernameTaken) return failure(usernameTakenMessage(error))
        throw error
      }
    },
  })

const NAME_OR_PASSWORD_MISSING = '用户名和密码不能为空！'
const MAY_NOT_CREATE = '无法创建权限大于等于自己的用户'
