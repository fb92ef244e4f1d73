/** A program with the client that is generated beside this file; its types are checked before it runs. */
import { client } from './api/client.gen.js'
import { getLog, getToken, postToken, postUserLogin } from './api/sdk.gen.js'

/** Node’s; its types are not among what is generated. */
declare const process: {
  readonly argv: readonly string[]
  readonly stdout: { write(text: string): void }
}

const [baseUrl = '', username = '', password = ''] = process.argv.slice(2)
client.setConfig({ baseUrl })

const wrong = await postUserLogin({ body: { username, password: `${password}-not` } })
const refused = wrong.data?.success === false ? wrong.data.code : null

const { data: answer, response } = await postUserLogin({ body: { username, password } })
if (answer?.success !== true) throw new Error(answer?.message)
const { id } = answer.data
const cookie = response?.headers.getSetCookie().map((one) => one.split(';')[0]) ?? []
client.setConfig({ baseUrl, headers: { cookie: cookie.join('; '), 'New-Api-User': String(id) } })

const log = await getLog({ query: { p: 1, page_size: 10, type: 2 } })
if (log.data?.success !== true) throw new Error(log.data?.message)
const models: readonly string[] = log.data.data.items.map(({ model_name }) => model_name)

const made = await postToken({ body: { name: 'by typescript', unlimited_quota: true } })
if (made.data?.success !== true) throw new Error(made.data?.message)
const tokens = await getToken({ query: { p: 0, size: 10 } })
if (tokens.data?.success !== true) throw new Error(tokens.data?.message)

process.stdout.write(JSON.stringify({ refused, id, models, token: made.data.data.id }))
