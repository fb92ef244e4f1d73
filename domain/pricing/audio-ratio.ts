/**
 * How much dearer audio tokens are than text input, by model name: vendors' prices of April 2025 (relay-and-billing
 * 4.1). Audio output costs AUDIO_COMPLETION_RATIO times audio input. Null for a model whose name has no mark of audio:
 * its audio tokens cost as text, as no vendor's price is known.
 */
export function audioRatio(model: string): string | null {
  if (model.includes('-realtime')) {
    if (model.endsWith('gpt-4o-realtime-preview-2024-12-17')) return '8'
    return model.includes('mini') ? String(10 / 0.6) : '20'
  }
  if (model.includes('-audio')) {
    if (model.endsWith('gpt-4o-audio-preview-2024-12-17')) return '16'
    return model.includes('mini') ? String(10 / 0.15) : '40'
  }
  return /-tts|-transcribe/.test(model) ? '20' : null
}

export const AUDIO_COMPLETION_RATIO = '2'
