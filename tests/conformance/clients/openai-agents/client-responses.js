import { OpenAIResponsesModel } from '@openai/agents'
import { agentClient } from './agent-client.js'

export const protocol = 'responses'
export const { kinds, observe } = agentClient(OpenAIResponsesModel)
