// watch: x, y
function f(v) {
  { x(); function x() {} }
  switch (v) { case g(): function x() {} default: function y() {} }
  switch (v) { default: function y() {} }
  { let y; { function y() {} } }
  l: { function x() {} }
}
{ function x() {} }
(function () { 'use strict'; { function x() {} } });
(function (x) { { function x() {} } });
{ async function y() {} }
