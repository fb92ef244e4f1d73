import { z } from 'zod'
import { type ApiReply, type ApiRoute, failure, route } from '../http-contract/api-route.ts'
import { hiddenNameProblem } from '@tollgate/domain/text.ts'
import { flag, lenientBody, orNull, text } from '../http/body.ts'
import type { CommandCause } from '../aggregates/cause.ts'
import { changeOption, type OptionDeps } from '../options/change-option.ts'
import type { LiveOptions } from '../options/live-options.ts'
import { registerUser } from '../users/project-user.ts'
import { isLikeEmail } from '../identity/login-names.ts'
import { usernameTakenMessage } from '../identity/name-conflicts.ts'
import { addUser, type AddUserDeps } from '../users/add-user.ts'
import type { SetupState } from './setup-state.ts'

export interface SetupRouteDeps extends AddUserDeps, OptionDeps {
  readonly setup: SetupState
  readonly options: LiveOptions
}

const TEXTS = {
  done: '系统已经初始化完成',
  busy: '系统正在初始化中，请稍后重试',
  invalid: '请求参数有误',
} as const

/** The quota that root starts with: a grant, so that the ledger explains it (decision 27). */
const ROOT_QUOTA = 100_000_000
const PASSWORD_BYTES_MIN = 8
const USERNAME_CHARACTERS_MAX = 64

/** The first-run setup (console-api 2.1). */
export const setupRoutes = (deps: SetupRouteDeps): readonly ApiRoute[] => [
  route({
    method: 'GET',
    path: '/api/setup',
    access: 'public',
    summary: 'Whether this installation has been set up',
    answer: {
      data: z.strictObject({
        status: z.boolean(),
        root_init: z.boolean(),
        database_type: z.string(),
      }),
    },
    example: { data: { status: false, root_init: false, database_type: 'postgres' } },
    handle: async () => {
      if (await deps.setup.isDone()) {
        return { data: { status: true, root_init: false, database_type: '' } }
      }
      const root = await deps.users.root()
      return { data: { status: false, root_init: root !== null, database_type: 'postgres' } }
    },
  }),
  route({
    method: 'POST',
    path: '/api/setup',
    access: 'public',
    isCritical: true,
    summary: 'Make the super administrator and choose the mode of use; once',
    body: orNull(
      lenientBody({
        username: text().meta({
          description: 'Name of the super administrator; not read where there is one already',
          maxLength: USERNAME_CHARACTERS_MAX,
        }),
        password: text().describe(
          `Password of the super administrator, of at least ${PASSWORD_BYTES_MIN} bytes in UTF-8`,
        ),
        confirmPassword: text().describe('The password typed a second time, to be the same'),
        SelfUseModeEnabled: flag().describe(
          'Whether one person uses the gateway: models without a price may be called; default false',
        ),
        DemoSiteEnabled: flag().describe(
          'Whether this is a demo site, on which nothing can be changed; default false',
        ),
      }),
    ),
    answer: {},
    failureStatuses: [409],
    example: {
      body: {
        username: 'root',
        password: 'correct horse',
        confirmPassword: 'correct horse',
        SelfUseModeEnabled: false,
        DemoSiteEnabled: false,
      },
      message: '系统初始化成功',
    },
    handle: async ({ body, requestId }) => {
      // Asked before the lock is, which costs a connection, and once more under it.
      if (await deps.setup.isDone()) return failure(TEXTS.done, 400)
      if (body === null) return failure(TEXTS.invalid, 400)
      const cause: CommandCause = { actor: 'system', correlationId: requestId, causationId: null }
      const alone = await deps.setup.alone(() => setUp(deps, body, cause))
      return alone.status === 'busy' ? failure(TEXTS.busy, 409) : alone.result
    },
  }),
]

interface SetupForm {
  readonly username: string
  readonly password: string
  readonly confirmPassword: string
  readonly SelfUseModeEnabled: boolean
  readonly DemoSiteEnabled: boolean
}

async function setUp(
  deps: SetupRouteDeps,
  form: SetupForm,
  cause: CommandCause,
): Promise<ApiReply> {
  if (await deps.setup.isDone()) return failure(TEXTS.done, 400)
  // A root without a finished setup is left by a crash in between: only the rest is done then.
  const root = await deps.users.root()
  if (root?.isOpened === false) await registerUser(deps, root.id, cause)
  if (root === null) {
    const refusal = formProblem(form)
    if (refusal !== null) return failure(refusal, 400)
    await addUser(
      deps,
      {
        username: form.username.trim(),
        password: form.password,
        displayName: 'Root User',
        role: 100,
        openingQuota: ROOT_QUOTA,
        openingSource: 'grant',
      },
      cause,
    )
  }
  for (const key of ['SelfUseModeEnabled', 'DemoSiteEnabled'] as const) {
    const changed = await changeOption(deps, { key, text: String(form[key]) }, cause)
    if (changed.status === 'rejected') return failure(changed.rejection.message, 500)
    await deps.options.waitFor(changed.position)
  }
  await deps.setup.markDone()
  return { message: '系统初始化成功' }
}

function formProblem(form: SetupForm): string | null {
  const { username, password, confirmPassword } = form
  if (username.trim() === '') return '请输入管理员用户名'
  if (Array.from(username.trim()).length > USERNAME_CHARACTERS_MAX) return '用户名过长'
  const hidden = hiddenNameProblem('用户名', username.trim())
  if (hidden !== null) return hidden
  if (isLikeEmail(username.trim())) return usernameTakenMessage({ why: 'an-email' })
  if (password !== confirmPassword) return '两次输入的密码不一致'
  if (Buffer.byteLength(password) < PASSWORD_BYTES_MIN) return '密码长度至少为8个字符'
  return null
}
