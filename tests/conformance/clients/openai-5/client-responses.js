import { OpenAI } from 'openai'
import { responsesClient } from '../../responses-client.js'

export const { protocol, kinds, observe } = responsesClient(OpenAI)
