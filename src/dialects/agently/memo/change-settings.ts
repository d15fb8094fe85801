import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { MemoConfiguration } from '../memo-types.ts'
import { mergeSettings, settingAt } from '../rules/memo-settings.ts'
import type { MemoSettings } from '../rules/memo-state.ts'
import { patchMeta } from './patch-meta.ts'

/** Lays settings over those that a session has. */
export async function changeSettings(store: SessionStore, key: string, over: MemoSettings): Promise<void> {
  await patchMeta(store, key, ({ contextState, state }) => ({
    contextState: { ...contextState, settings: mergeSettings(state.settings, over) },
  }))
}

/**
 * The settings that a configuration stands for. A limit is written through to the older names, as there. Source:
 * AgentlyMemoSession, `configure`
 */
export function settingsOf({ mode, limit = {}, everyNTurns }: MemoConfiguration): MemoSettings {
  const { chars, messages } = limit
  const resize = {
    ...(everyNTurns === undefined ? {} : { every_n_turns: everyNTurns }),
    ...(chars === undefined ? {} : { max_messages_text_length: chars }),
    ...(messages === undefined ? {} : { max_keep_messages_count: messages }),
  }
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(mode === 'memo' || mode === 'lite' ? { memo: { enabled: mode === 'memo' } } : {}),
    ...(chars === undefined && messages === undefined
      ? {}
      : { limit: { ...(chars === undefined ? {} : { chars }), ...(messages === undefined ? {} : { messages }) } }),
    ...(Object.keys(resize).length === 0 ? {} : { resize }),
  }
}

/** The settings that a path and a value stand for. @throws InvalidInput for what is not below `session` */
export function settingsAt(path: string, value: JsonValue): MemoSettings {
  const [root, ...place] = path.split('.')
  if (root !== 'session' || place.includes(''))
    throw new SessionError(
      'InvalidInput',
      `A session keeps settings below "session", such as "session.resize.every_n_turns"; "${path}" is none.`,
    )
  if (place.length > 0) return settingAt(place, value)
  if (!isObject(value))
    throw new SessionError(
      'InvalidInput',
      'The value of "session" itself must be an object: its members are the settings.',
    )
  return value
}
