import { readLocal, writeLocal } from './ui/local.ts'

/** How models are reached, as the user set it for this browser. */
export interface Settings {
  /** The models of the endpoint, by name. None: the app answers by itself. */
  readonly models: readonly string[]
  readonly baseUrl: string
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
    models: namesIn(readLocal('models') ?? ''),
    baseUrl: readLocal('base-url') ?? 'http://localhost:11434/v1',
    apiKey: keptKey ?? readLocal('api-key', 'session') ?? '',
    keepKey: keptKey !== undefined,
    viaApi: readLocal('via-api') === 'true',
  }
}

/** Writes the settings to this browser. The key goes to one place only. */
export function writeSettings({ models, baseUrl, apiKey, keepKey, viaApi }: Settings): void {
  writeLocal('models', models.join(', '))
  writeLocal('base-url', baseUrl)
  writeLocal('via-api', viaApi ? 'true' : undefined)
  writeLocal('api-key', keepKey && apiKey !== '' ? apiKey : undefined)
  writeLocal('api-key', !keepKey && apiKey !== '' ? apiKey : undefined, 'session')
}

/** The names in a text, which commas separate. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]
