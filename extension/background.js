// Firefox lets no page of its developer tools speak to a native program. There the panel speaks to this, and this to
// the program.
const PROGRAM = 'dev.querypoint.back_end';

chrome.runtime.onMessage.addListener((message, _sender, answer) => {
  chrome.runtime.sendNativeMessage(PROGRAM, message).then(
    (reply) => answer({ reply }),
    (error) => answer({ failed: error.message }),
  );
  return true;
});
