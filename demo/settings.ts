import type { BlobReader } from './attachments/attached-file.ts'
import { localModel } from './local-model.ts'
import type { Model } from './model.ts'
import { openaiModel } from './openai-model.ts'
import { readLocal, writeLocal } from './ui/local.ts'

/** Which model answers, as the user chose it. */
export interface Settings {
  readonly provider: 'local' | 'openai'
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string
  /** Whether the key stays in this browser, or only until the tab is closed. */
  readonly keepKey: boolean
  /** Whether messages go through the chat API, which a Service Worker serves, instead of being answered in the page. */
  readonly viaApi: boolean
}

/** Reads the settings from this browser. */
export function readSettings(): Settings {
  const keptKey = readLocal('api-key')
  return {
    provider: readLocal('provider') === 'openai' ? 'openai' : 'local',
    baseUrl: readLocal('base-url') ?? 'http://localhost:11434/v1',
    model: readLocal('model') ?? '',
    apiKey: keptKey ?? readLocal('api-key', 'session') ?? '',
    keepKey: keptKey !== undefined,
    viaApi: readLocal('via-api') === 'true',
  }
}

/** Writes the settings to this browser. The key goes to one place only. */
export function writeSettings({ provider, baseUrl, model, apiKey, keepKey, viaApi }: Settings): void {
  writeLocal('provider', provider)
  writeLocal('base-url', baseUrl)
  writeLocal('model', model)
  writeLocal('via-api', viaApi ? 'true' : undefined)
  writeLocal('api-key', keepKey && apiKey !== '' ? apiKey : undefined)
  writeLocal('api-key', !keepKey && apiKey !== '' ? apiKey : undefined, 'session')
}

/** The model that these settings choose. @param blobs - where the files are that messages name */
export function chosenModel(blobs: BlobReader, settings: Settings = readSettings()): Model {
  return settings.provider === 'openai' ? openaiModel(settings, blobs) : localModel
}
