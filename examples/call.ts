// Calls an agent and answers what it asks: node examples/call.ts http://127.0.0.1:8082 "a table for tonight" 4
import { connect } from 'parlance'

const [url = 'http://127.0.0.1:8082', text = 'a table for tonight', ...answers] = process.argv.slice(2)
const booking = await connect(url)
let result = await booking.send(text)
for (const answer of answers) {
  console.log(result.text)
  result = await result.reply(answer)
}
console.log(result.text)
