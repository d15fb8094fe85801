import { isSessionError, openSessionStore } from 'keepsession'
import { answer } from './model.js'

const client = await openSessionStore({ name: 'extension' })
/** Opened for each use, so that a chat that was deleted in any tab begins anew. */
const open = () => client.session('chat')

/** Streams a reply. What has arrived stays if the page is closed or crashes meanwhile. */
async function reply(session, told) {
  // The reply has this id from its first word on.
  const stream = session.stream({ mid: crypto.randomUUID() })
  try {
    for await (const text of answer(told)) stream.write(text)
    await stream.end()
  } catch (error) {
    // What has arrived is kept, unless the chat was deleted meanwhile, for example in another tab.
    const isGone = isSessionError(error, 'SessionNotFound')
    await stream.abort({ keep: !isGone, stopped: false })
    if (!isGone) throw error
  }
}

const list = document.querySelector('ol')
// What the transcript has, and every change of it, whichever tab makes it.
const transcript = (await open()).transcript()
function show() {
  const { entries, drafts } = transcript.getSnapshot()
  const messages = entries.filter(({ message }) => message !== undefined)
  list.replaceChildren(
    ...messages.map(({ message, id, mid = id }) =>
      line(message.role, message.interrupted ? `${message.content}(cut off)` : message.content, mid),
    ),
    ...drafts.map(({ role, text, mid }) => line(role, `${text}…`, mid)),
  )
}
transcript.subscribe(show)
await transcript.ready()
show()

function line(role, text, id) {
  const item = document.createElement('li')
  item.className = role
  item.dataset.id = id
  item.textContent = text
  return item
}

let isStoring = false
document.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isStoring) return
  isStoring = true
  const input = document.querySelector('input')
  const content = input.value
  let session
  try {
    session = await open()
    await session.append({ role: 'user', content })
    // Only now: what can't be stored is still there to be sent again.
    if (input.value === content) input.value = ''
  } finally {
    isStoring = false
  }
  await reply(session, content)
})
document.querySelector('#again').addEventListener('click', async () => {
  // The reply stays on its own branch; the next one takes its place.
  const session = await open()
  await session.regenerate()
  await reply(session, (await session.messages()).at(-1).content)
})
document.querySelector('#delete').addEventListener('click', async () => (await open()).delete())
document.querySelector('fieldset').disabled = false
