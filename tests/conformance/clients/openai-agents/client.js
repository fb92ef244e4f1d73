import { OpenAIChatCompletionsModel } from '@openai/agents'
import { agentClient } from './agent-client.js'

export const { kinds, observe } = agentClient(OpenAIChatCompletionsModel)
