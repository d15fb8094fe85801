import { databaseName } from './api/chat-settings.ts'

/** Which device this window plays, by `?device=2`: each has a database of its own, as if it were another machine. */
export const device = Math.max(1, Math.trunc(Number(new URLSearchParams(location.search).get('device'))) || 1)

/** The database of this device. The chat API knows the first one only. */
export const deviceDatabase = device === 1 ? databaseName : `${databaseName}-${device}`

/** The address of the app as another device, without what is open here. */
export const deviceAddress = (number: number): string => `${location.origin}${location.pathname}?device=${number}`

/** The name under which this device remembers something of its own. */
export const ofDevice = (name: string): string => (device === 1 ? name : `${name}:${device}`)
