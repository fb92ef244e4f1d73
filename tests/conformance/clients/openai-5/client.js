import { OpenAI } from 'openai'
import { openAiClient } from '../../openai-client.js'

export const { kinds, observe } = openAiClient(OpenAI)
