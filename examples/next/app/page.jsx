import { SessionStoreProvider } from 'keepsession/react'
import { Chat } from './chat.jsx'

// A server component. The store is opened in the browser only.
export default function Page() {
  return (
    <SessionStoreProvider options={{ name: 'next' }}>
      <h1>A chat in Next</h1>
      <Chat />
    </SessionStoreProvider>
  )
}
